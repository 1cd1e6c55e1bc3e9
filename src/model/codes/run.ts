import { EXIT, service, user, type CodeRow } from './row.js';

/** Codes of what happens with the service: requests, steps, what people say of them, callbacks. */
export const RUN_CODES = {
  REMOTE_UNREACHABLE: service(
    EXIT.incomplete,
    'The service cannot be reached.',
    'Check base_url and the network, then run again.',
    {
      more: 'The message names who does not answer and why. Requests to the service and to a node go directly: HTTPS_PROXY is not used.',
      example: 'windlass doctor --env test',
    },
  ),
  REMOTE_NOT_SERVICE: user(
    EXIT.invalid,
    'Something answers at base_url, and it is not the service of the interface.',
    'Correct base_url of the environment: its host, its port, and the path before /api, if any.',
    {
      more: 'A web server that knows no such path says 404 of everything, which would read as: nothing is there yet. So the service has to show one of its lists, or an answer in its envelope, before 404 counts.',
      example:
        'environments:\n  test: { base_url: https://service.example.com }    # not https://service.example.com/docs',
    },
  ),
  REMOTE_AUTHENTICATION: user(
    EXIT.authentication,
    'The service refused the credentials.',
    'Check client_id and client_secret of this environment.',
    { more: 'A frequent cause: the credentials are those of another environment.' },
  ),
  REMOTE_SCOPE: user(
    EXIT.authentication,
    'The API key may not do that: it lacks a scope.',
    'Use a key that has the scope, or ask for one.',
    {
      more: 'Reading takes `read` (plan, verify, status), releasing `read` and `write`. A pull request plans with a key that only reads; the gated job applies with one that may write.',
      example:
        'windlass platform key create ci-plan --scope read --expires 90d\nwindlass platform key create ci-apply --scope read,write --expires 90d',
    },
  ),
  REMOTE_REFUSED: service(
    EXIT.incomplete,
    'The service refused a request.',
    'Read its reason, correct the cause, run again.',
  ),
  REMOTE_ANSWER: service(
    EXIT.incomplete,
    'The service gave an answer that is not of the interface.',
    'Check that base_url is the service and not a page before it; run again.',
  ),
  REMOTE_RATE_LIMITED: service(
    EXIT.incomplete,
    'The service kept refusing for too many requests.',
    'Lower rate_limit of the environment, run again.',
    { example: 'environments:\n  test: { rate_limit: 30/min }' },
  ),
  STEP_FAILED: service(
    EXIT.incomplete,
    'A step failed, provably without effect, or could not begin.',
    'Read its reason, correct the cause, then run apply again: it resumes and sends nothing twice.',
    { example: 'windlass status\nwindlass apply' },
  ),
  STEP_OUTDATED: user(
    EXIT.incomplete,
    'A step took effect as an earlier run had sent it, not as the plan says now.',
    'See `windlass plan`: it shows what differs, and what can be done about it.',
    {
      more: 'The plan was edited while the outcome of a step was not known. What was sent is looked for first, and is kept when it is there.',
      example: 'windlass plan',
    },
  ),
  STEP_UNDECIDED: user(
    EXIT.undecided,
    'It cannot be known whether a step took effect.',
    'See `windlass status`; settle it with `windlass resolve`.',
    {
      more: 'The answer was lost, and no read or callback tells. Sending again might do it twice, so only a person may say that it is absent.',
      example:
        "windlass resolve 'certificate-contract.diplomas#1' --adopt address=0x… --statement 'seen in the console'",
    },
  ),
  STEP_OPEN: user(
    EXIT.incomplete,
    'A step was sent, and no run looked for its outcome to the end.',
    'Run `windlass apply`: it looks for proof before it sends anything. A run that goes on does so already.',
    { example: 'windlass status\nwindlass apply' },
  ),
  STEP_DUPLICATE: user(
    EXIT.undecided,
    'A step may have taken effect twice.',
    'See `windlass status`; both effects are named there, and the lines that say which one stands.',
  ),
  STEP_PARAMS: user(
    EXIT.incomplete,
    'The compiled contract does not take the parameters that the plan gives.',
    'Correct params to the ABI shown, run apply again.',
    { more: 'Found before the deploy request, so nothing was deployed.' },
  ),
  RESOLVE_NOT_OPEN: user(
    EXIT.invalid,
    'The step is none whose outcome a person may settle.',
    'See `windlass status` for the steps that are open, and for the lines that settle them.',
  ),
  RESOLVE_CONTRADICTED: user(
    EXIT.refused,
    'What was read contradicts what a person says of a step.',
    'Look again; nothing was recorded.',
  ),
  ADOPT_REFUSED: user(
    EXIT.invalid,
    'The resource cannot be taken into the lock this way.',
    'Read the reason; nothing was recorded.',
    { example: 'windlass adopt certificate-contract.diplomas address=0x…' },
  ),
  ADOPT_CONTRADICTED: user(
    EXIT.refused,
    'What is there differs from the plan.',
    'Correct the plan, or name the right thing; nothing was recorded.',
  ),
  VERIFY_MISMATCH: user(
    EXIT.drift,
    'Something locked differs from the platform or the chain.',
    'Compare the values shown; where they differ, the chain is right.',
    { example: 'windlass verify --format json' },
  ),
  CALLBACKS_OFF: user(
    EXIT.invalid,
    'The environment takes no callbacks, so there is nothing to listen for.',
    'Set callbacks.url of the environment, or use another one.',
    { example: 'callbacks: { url: https://hooks.example.com, listen: "0.0.0.0:8080" }' },
  ),
  LISTENER_RUNNING: user(
    EXIT.refused,
    'Another listener keeps the callbacks of this environment.',
    'Leave it running: apply takes what it keeps; or end it first.',
  ),
  CALLBACKS_PORT: user(
    EXIT.invalid,
    'The callback listener cannot use its address.',
    'Free the port or change callbacks.listen.',
    {
      more: 'Callbacks of earlier steps go to the port that was used then, so it stays the same across runs.',
    },
  ),
} as const satisfies Record<string, CodeRow>;
