import { EXIT, service, user, windlass, type CodeRow } from './row.js';

/** Codes of the command line, of its surroundings, and of the embedded platform. */
export const COMMAND_CODES = {
  INTERNAL: windlass(
    EXIT.unexpected,
    'Windlass reached a state that its own rules exclude.',
    'Keep the folder as it is and report the message; nothing further was sent.',
    {
      more: 'The journal holds every write that was begun, so `windlass status` still tells what happened. WINDLASS_DEBUG=1 adds the place in the code.',
      example: 'WINDLASS_DEBUG=1 windlass status',
    },
  ),
  CLI_USAGE: user(
    EXIT.invalid,
    'The command line is not one that Windlass knows.',
    'See `windlass --help`, or `windlass help COMMAND`.',
    { example: 'windlass help apply' },
  ),
  CLI_CONFIRMATION_MISSING: user(
    EXIT.invalid,
    'Applying needs a confirmation that cannot be asked for here.',
    'Read the change set, then add --yes; a protected environment needs --confirm NAME instead.',
    {
      more: 'Windlass asks on a terminal only, so that no script waits for an answer that cannot come.',
      example: 'windlass apply --env test --yes\nwindlass apply --env production --confirm production',
    },
  ),
  CLI_DECLINED: user(
    EXIT.invalid,
    'The change set was not confirmed.',
    'Nothing was sent; run the command again when ready.',
  ),
  CLI_FILE_MISSING: user(
    EXIT.invalid,
    'A file or folder that the command names cannot be read or written.',
    'Check the path; it is relative to the working folder.',
    { example: 'windlass validate releases/windlass.yaml' },
  ),
  CLI_INTERRUPTED: user(
    EXIT.interrupted,
    'A person, or the system, ended the command before it was done.',
    'Run the command again: what was begun goes on where it stopped.',
    { example: 'windlass status\nwindlass apply' },
  ),
  INIT_NOT_EMPTY: user(
    EXIT.invalid,
    'The folder already holds files that would be overwritten.',
    'Choose a folder that is empty or does not exist yet.',
    { example: 'windlass init my-release' },
  ),
  SECRET_MISSING: user(
    EXIT.authentication,
    'A credential or secret is missing, or is not usable as it is.',
    'Set the variable or file that the plan names; `windlass doctor` says which are missing.',
    {
      more: 'Credentials come from the environment or from files, never from flags, and are written nowhere.',
      example:
        'credentials: { client_id: { env: WINDLASS_VAR_TEST_CLIENT_ID }, client_secret: { file: secrets/test } }',
    },
  ),
  REGISTRY_FETCH: service(
    EXIT.incomplete,
    'A compiler or a package cannot be fetched from the registry.',
    'Run again when the registry answers, or name another with WINDLASS_REGISTRY; without one, only what is in the cache (WINDLASS_CACHE_DIR) can be compiled.',
    {
      more: 'What was fetched once is kept in .windlass/cache, or in WINDLASS_CACHE_DIR, which many folders and runners can share. `windlass doctor` asks the registry.',
      example: 'windlass doctor',
    },
  ),
  PACKAGE_REFUSED: user(
    EXIT.invalid,
    'A package may not be used, or what the registry says of it cannot be trusted.',
    'Name a package of the registry that your operator allows (`WINDLASS_ALLOW_PACKAGES`).',
    {
      more: 'Packages come from one registry, as versions, ranges and tags, and are checked against their SHA-512. Git, addresses, files and links are refused. Nothing of npm’s configuration is read: `WINDLASS_REGISTRY`, `WINDLASS_REGISTRY_TOKEN` and `WINDLASS_REGISTRY_PROXY` say where packages come from.',
      example: 'packages: ["@openzeppelin/contracts@5.0.2"]',
    },
  ),

  PLATFORM_NOT_RUNNING: user(
    EXIT.invalid,
    'No embedded platform runs in this folder, or it does not answer.',
    'Start one with `windlass platform start`.',
    {
      more: '`plan` and `apply` start one for their own lifetime; only `platform …` commands need one that runs.',
    },
  ),
  PLATFORM_RUNNING: user(
    EXIT.refused,
    'An embedded platform already runs in this folder.',
    'Use it, or stop it with `windlass platform stop`.',
    { more: 'Two platforms would write to one chain and one set of records.' },
  ),
  PLATFORM_START: windlass(
    EXIT.unexpected,
    'The embedded platform did not start.',
    'Correct what the reason names. `windlass platform reset` begins anew, and deletes every record and key.',
  ),
  PLATFORM_FAULTS: user(
    EXIT.invalid,
    'The rules or the log of faults are not of a form that the platform takes.',
    'Correct the places that are named; `windlass schema faults` describes rules.',
    {
      more: 'A log is a `.windlass/platform/faults.jsonl`, whose last session is replayed.',
      example: 'windlass platform fault add --operation certificate.mint --nth 2 --fault drop_after_commit',
    },
  ),
  PLATFORM_DATA: user(
    EXIT.invalid,
    'The data of the embedded platform cannot be exported, imported or rotated as asked.',
    'Read the reason; nothing was changed.',
    { more: 'Archives are read whole before anything counts, and keys are wrapped anew all or none.' },
  ),
} as const satisfies Record<string, CodeRow>;
