/** Exit codes of the command line (design §3). */
export const EXIT = {
  done: 0,
  unexpected: 1,
  changes: 2,
  invalid: 3,
  authentication: 4,
  refused: 5,
  drift: 6,
  incomplete: 7,
  undecided: 8,
  interrupted: 130,
} as const;

/** One of the {@link EXIT} numbers. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface CodeRow {
  /** Who must act. */
  readonly blame: 'user' | 'service' | 'windlass';
  readonly exit: ExitCode;
  /** What it means, one sentence. */
  readonly meaning: string;
  /** What to do next, one sentence. */
  readonly advice: string;
}

function user(exit: ExitCode, meaning: string, advice: string): CodeRow {
  return { blame: 'user', exit, meaning, advice };
}

function service(exit: ExitCode, meaning: string, advice: string): CodeRow {
  return { blame: 'service', exit, meaning, advice };
}

/** Every error and diagnostic code: who must act, the exit code, meaning and advice. The first word is the room. */
export const ERROR_CODES = {
  INTERNAL: {
    blame: 'windlass',
    exit: EXIT.unexpected,
    meaning: 'Windlass reached a state that its own rules exclude.',
    advice: 'Keep the folder as it is and report the message; nothing further was sent.',
  },

  CLI_USAGE: user(EXIT.invalid, 'The command line is not one that Windlass knows.', 'See `windlass --help`.'),
  CLI_CONFIRMATION_MISSING: user(
    EXIT.invalid,
    'Applying needs a confirmation that cannot be asked for here.',
    'Add --yes after reading the change set.',
  ),
  CLI_DECLINED: user(
    EXIT.invalid,
    'The change set was not confirmed.',
    'Nothing was sent; run the command again when ready.',
  ),
  CLI_FILE_MISSING: user(EXIT.invalid, 'A file that the command names cannot be read.', 'Check the path.'),

  PLAN_SYNTAX: user(EXIT.invalid, 'The text is not valid YAML.', 'Correct the marked place.'),
  PLAN_FORBIDDEN_YAML: user(
    EXIT.invalid,
    'Anchors, aliases, merges and tags are refused in plans.',
    'Write the value out.',
  ),
  PLAN_DUPLICATE_KEY: user(EXIT.invalid, 'A key stands twice in one map.', 'Remove one of the two.'),
  PLAN_TOO_LARGE: user(
    EXIT.invalid,
    'The plan is larger or deeper than is accepted.',
    'Move rows to CSV files.',
  ),
  PLAN_SCHEMA: user(
    EXIT.invalid,
    'A value does not have the shape that the schema asks for.',
    'Compare with `windlass schema`.',
  ),
  PLAN_UNKNOWN_KEY: user(EXIT.invalid, 'A key is not known at this place.', 'Use the nearest known key.'),
  PLAN_MISSING_KEY: user(EXIT.invalid, 'A required key is missing.', 'Add the key.'),
  PLAN_RESERVED_KEY: user(EXIT.invalid, 'A key is reserved.', 'Choose another name.'),
  PLAN_UNKNOWN_ENVIRONMENT: user(
    EXIT.invalid,
    'The environment is not declared in the plan.',
    'Use --env with a declared name.',
  ),
  PLAN_UNKNOWN_REFERENCE: user(
    EXIT.invalid,
    'A name is not declared in the plan.',
    'Use the nearest declared name.',
  ),
  PLAN_AMBIGUOUS_REFERENCE: user(
    EXIT.invalid,
    'A placeholder fits several resources.',
    'Qualify it with the deployment, e.g. <core.Token_ADDRESS>.',
  ),
  PLAN_BRACE_MAP: user(
    EXIT.invalid,
    'Unquoted braces are a YAML map, not a placeholder.',
    'Quote it: "{Token_ADDRESS}".',
  ),
  PLAN_CYCLE: user(
    EXIT.invalid,
    'Resources depend on one another in a circle.',
    'Break the circle at one of the placeholders shown.',
  ),
  PLAN_ORDER_CONFLICT: user(
    EXIT.invalid,
    'The explicit order contradicts a placeholder.',
    'Remove the order or the placeholder.',
  ),
  PLAN_PLACEHOLDER_PLACE: user(
    EXIT.invalid,
    'An address that is known only when applied cannot stand here.',
    'Use constructor parameters, record metadata or a key that takes a wallet or contract.',
  ),
  PLAN_TEMPLATE: user(
    EXIT.invalid,
    'A template cannot be filled.',
    'Use a column of the rows or a declared variable.',
  ),
  PLAN_FILE_MISSING: user(
    EXIT.invalid,
    'A file that the plan names does not exist.',
    'Check the path; it is relative to the plan.',
  ),
  PLAN_FILE_OUTSIDE: user(
    EXIT.invalid,
    'A file lies outside the plan folder or is not a regular file.',
    'Move it beside the plan.',
  ),
  PLAN_FILE_TYPE: user(
    EXIT.invalid,
    'A file is not of the type that is needed here.',
    'Use a file of the type named.',
  ),
  PLAN_FILE_TOO_LARGE: user(EXIT.invalid, 'A file is larger than the service takes.', 'Make it smaller.'),
  PLAN_NO_SOURCES: user(EXIT.invalid, 'The source patterns match no file.', 'Correct the pattern.'),
  PLAN_SOURCE_SYNTAX: user(
    EXIT.invalid,
    'A Solidity source cannot be parsed.',
    'Correct the source; the compiler will refuse it too.',
  ),
  PLAN_IMPORT_UNRESOLVED: user(
    EXIT.invalid,
    'A source imports a file that is neither uploaded nor in a package.',
    'Add the file to sources, or its package to packages.',
  ),
  PLAN_CONTRACT_UNKNOWN: user(
    EXIT.invalid,
    'No source of the version defines this contract.',
    'Use the nearest contract name.',
  ),
  PLAN_PARAM_MISSING: user(EXIT.invalid, 'A constructor parameter is missing.', 'Add it under params.'),
  PLAN_PARAM_UNKNOWN: user(
    EXIT.invalid,
    'The constructor has no such parameter.',
    'Use the name as the source spells it.',
  ),
  PLAN_PARAM_TYPE: user(
    EXIT.invalid,
    'A constructor parameter has a value of the wrong type.',
    'Give a value of the type named.',
  ),
  PLAN_ADDRESS: user(
    EXIT.invalid,
    'A chain address is malformed or its checksum is wrong.',
    'Copy the address again.',
  ),
  PLAN_VERSION_NAME: user(
    EXIT.invalid,
    'A version name has a forbidden character.',
    'Use letters, digits, dot, dash and underscore.',
  ),
  PLAN_ROWS: user(
    EXIT.invalid,
    'The rows of a batch cannot be read.',
    'Save the file as UTF-8 CSV with a header line, or NDJSON.',
  ),
  PLAN_ROW_KEY: user(EXIT.invalid, 'Row keys must be present and unique.', 'Give each row its own key.'),
  PLAN_MAX_SUPPLY: user(
    EXIT.invalid,
    'The batches hold more certificates than max_supply allows.',
    'Raise max_supply or remove rows.',
  ),
  PLAN_NOT_OWNER: user(
    EXIT.invalid,
    'The signer does not own what it writes to.',
    'Use the owner as signer.',
  ),
  PLAN_MOVED: user(
    EXIT.invalid,
    'A `moved` entry does not fit the plan.',
    'The old id must be gone and the new one declared.',
  ),

  LOCK_UNREADABLE: user(
    EXIT.refused,
    'The lockfile is not one that this version reads.',
    'Restore it from Git, or use the version that wrote it.',
  ),
  LOCK_OTHER_TARGET: user(
    EXIT.refused,
    'The lockfile belongs to another platform.',
    'Use the environment that it belongs to, or move the lockfile and its folder away to begin anew.',
  ),
  JOURNAL_CORRUPT: user(
    EXIT.refused,
    'The journal is damaged other than at its end.',
    'Restore it from a backup; nothing was sent.',
  ),
  JOURNAL_NEWER: user(EXIT.refused, 'The journal was written by a newer Windlass.', 'Use that version.'),
  JOURNAL_WRITE: user(
    EXIT.unexpected,
    'The journal cannot be written, so nothing more may be sent.',
    'Free disk space or correct the permissions, then run again.',
  ),
  JOURNAL_EPHEMERAL: user(
    EXIT.invalid,
    'In CI a local journal dies with the machine, and the promise with it.',
    'Keep .windlass/ between runs, or accept it with --ephemeral-journal.',
  ),
  STATE_UNSAFE: user(
    EXIT.refused,
    'A file of the state is a link, not a regular file, or open to other users.',
    'Make it a regular file of yours with mode 0600, in a folder with mode 0700.',
  ),
  STATE_WRITE: user(
    EXIT.unexpected,
    'A file of the state or the lockfile cannot be read or written.',
    'Free disk space or correct the permissions, then run again.',
  ),
  RUN_LOCKED: user(
    EXIT.refused,
    'Another run holds the lock.',
    'Wait for it, or free a dead one with `windlass unlock`.',
  ),
  CHANGESET_STALE: user(
    EXIT.refused,
    'What the saved change set was made from has changed.',
    'Make a new one with `windlass plan --out`.',
  ),
  CHANGESET_TAMPERED: user(
    EXIT.refused,
    'The saved change set is not what `windlass plan` wrote.',
    'Make a new one with `windlass plan --out`.',
  ),
  CHANGESET_APPLIED: user(
    EXIT.refused,
    'The saved change set was applied already.',
    'Make a new one with `windlass plan --out`.',
  ),
  CHANGE_BLOCKED: user(
    EXIT.invalid,
    'A change cannot be made as the plan wants it.',
    'Follow the fix beside the change.',
  ),
  CHANGE_UNKNOWN_ID: user(
    EXIT.invalid,
    'A flag names a resource that neither plan nor lockfile holds.',
    'Use an id of the change set.',
  ),
  FILE_CHANGED: user(EXIT.refused, 'A file changed after it was read for the change set.', 'Plan again.'),
  SECRET_MISSING: user(
    EXIT.authentication,
    'A credential or secret is not in the environment.',
    'Set the variable or file that the plan names.',
  ),

  REMOTE_UNREACHABLE: service(
    EXIT.incomplete,
    'The service cannot be reached.',
    'Check base_url and the network, then run again.',
  ),
  REMOTE_AUTHENTICATION: user(
    EXIT.authentication,
    'The service refused the credentials.',
    'Check client_id and client_secret of this environment.',
  ),
  REMOTE_REFUSED: service(
    EXIT.incomplete,
    'The service refused a request.',
    'Read its reason, correct the cause, run again.',
  ),
  REMOTE_ANSWER: service(
    EXIT.incomplete,
    'The service gave an answer that is not of the interface.',
    'Check that base_url is the service; run again.',
  ),
  REMOTE_RATE_LIMITED: service(
    EXIT.incomplete,
    'The service kept refusing for too many requests.',
    'Lower rate_limit of the environment, run again.',
  ),
  STEP_FAILED: service(
    EXIT.incomplete,
    'A step failed, provably without effect.',
    'Correct the cause, run apply again to resume.',
  ),
  STEP_UNDECIDED: user(
    EXIT.undecided,
    'It cannot be known whether a step took effect.',
    'See `windlass status`; settle it with `windlass resolve`.',
  ),
  STEP_DUPLICATE: user(
    EXIT.undecided,
    'A step took effect twice.',
    'See `windlass status`; both effects are named there.',
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
  ),
  ADOPT_CONTRADICTED: user(
    EXIT.refused,
    'What is there differs from the plan.',
    'Correct the plan, or name the right thing; nothing was recorded.',
  ),
  STEP_PARAMS: user(
    EXIT.incomplete,
    'The compiled contract does not take the parameters that the plan gives.',
    'Correct params to the ABI shown, run apply again.',
  ),
  VERIFY_MISMATCH: user(
    EXIT.drift,
    'Something locked differs from the platform or the chain.',
    'Compare the values shown; the chain is right.',
  ),
  CALLBACKS_OFF: user(
    EXIT.invalid,
    'The environment takes no callbacks, so there is nothing to listen for.',
    'Set callbacks.url of the environment, or use another one.',
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
  ),

  PLATFORM_NOT_RUNNING: user(
    EXIT.invalid,
    'No embedded platform runs in this folder.',
    'Start one with `windlass platform start`.',
  ),
  PLATFORM_RUNNING: user(
    EXIT.refused,
    'An embedded platform already runs in this folder.',
    'Use it, or stop it with `windlass platform stop`.',
  ),
  PLATFORM_START: {
    blame: 'windlass',
    exit: EXIT.unexpected,
    meaning: 'The embedded platform did not start.',
    advice: 'Read the reason; `windlass platform reset` begins anew.',
  },
  INIT_NOT_EMPTY: user(
    EXIT.invalid,
    'The folder already holds files that would be overwritten.',
    'Choose an empty folder.',
  ),
} satisfies Record<string, CodeRow>;

/** A code of the table. */
export type ErrorCode = keyof typeof ERROR_CODES;
