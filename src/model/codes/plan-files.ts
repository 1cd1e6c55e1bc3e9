import { EXIT, user, type CodeRow } from './row.js';

/** Codes of what a plan names: files, sources, constructor parameters, rows and pictures. */
export const PLAN_FILE_CODES = {
  PLAN_FILE_MISSING: user(
    EXIT.invalid,
    'A file that the plan names does not exist.',
    'Check the path; it is relative to the plan, and capital letters count.',
  ),
  PLAN_FILE_OUTSIDE: user(
    EXIT.invalid,
    'A file lies where no plan may read: outside its folder, among the files of Git or Windlass, or it is no regular file.',
    'Move it beside the plan; secrets may also lie in the folder that WINDLASS_SECRETS_DIR names.',
    {
      more: 'No `..`, no absolute path, no link that leaves the folder, nothing under `.git` or `.windlass`, which hold tokens: a plan from somebody else cannot take your files along. A secret (`{ file: … }`) is looked for in WINDLASS_SECRETS_DIR first, when the operator sets it, and may be given there by its absolute path.',
      example: 'rows: ../people.csv     # refused\nrows: data/people.csv    # correct',
    },
  ),
  PLAN_VARIABLE_FORBIDDEN: user(
    EXIT.invalid,
    'The plan names an environment variable that no plan may read here.',
    'Name the variable WINDLASS_VAR_…, or let the operator list it in WINDLASS_ALLOW_ENV.',
    {
      more: 'A plan may come from somebody else, and what it reads it sends to the address that it names. So it reads only variables that are meant for plans: their names begin with WINDLASS_VAR_, or stand in WINDLASS_ALLOW_ENV (names with commas between them). Variables that Windlass itself uses are never read for a plan. `windlass doctor` shows what is allowed.',
      example:
        'client_id: { env: AWS_SECRET_ACCESS_KEY }    # refused\nclient_id: { env: WINDLASS_VAR_TEST_ID }     # correct',
    },
  ),
  PLAN_URL_FORBIDDEN: user(
    EXIT.invalid,
    'The plan names an address that it may not have Windlass call.',
    'Use https and an address without user name; the operator may list hosts in WINDLASS_ALLOW_HTTP and origins in WINDLASS_ALLOW_ORIGIN.',
    {
      more: 'Plain http beyond this machine would show credentials to everybody on the way, so it needs WINDLASS_ALLOW_HTTP (hosts, or host:port, with commas between them). Where WINDLASS_ALLOW_ORIGIN is set, base_url, rpc_url and callbacks.url may only name the origins that it lists. Set it where plans from others run, such as in CI.',
      example:
        'base_url: http://service.example.com     # refused\nbase_url: https://service.example.com    # correct',
    },
  ),
  PLAN_FILE_TYPE: user(
    EXIT.invalid,
    'A file is not of the type that is needed here.',
    'Use a file of the type named; what counts is what the file holds, not only how its name ends.',
    {
      example:
        'sources: [contracts/**]          # also takes README.md\nsources: [contracts/**/*.sol]    # correct',
    },
  ),
  PLAN_FILE_TOO_LARGE: user(
    EXIT.invalid,
    'A file is larger than the service takes.',
    'Make it smaller; the message says how large it may be.',
    {
      more: 'A picture may have up to 100,000,000 bytes; the endpoint is chosen by its size (1, 10, 30 or 100 MB). A MB is 1,000,000 bytes here; the embedded platform takes 1,048,576, the larger reading.',
    },
  ),
  PLAN_NO_SOURCES: user(
    EXIT.invalid,
    'The source patterns match no file.',
    'Correct the pattern; it is relative to the plan.',
    {
      example:
        'sources: [contracts/*.sol]       # this folder only\nsources: [contracts/**/*.sol]    # and every folder below',
    },
  ),
  PLAN_SOURCE_SYNTAX: user(
    EXIT.invalid,
    'A Solidity source cannot be parsed.',
    'Correct the source at the place shown; the compiler will refuse it too.',
  ),
  PLAN_IMPORT_UNRESOLVED: user(
    EXIT.invalid,
    'A source imports a file that is neither uploaded nor in a package.',
    'Add the file to `sources`, or its package to `packages`.',
    {
      example:
        'sources: [contracts/**/*.sol]\npackages: ["@openzeppelin/contracts@5.0.2"]    # for import "@openzeppelin/…"',
    },
  ),
  PLAN_CONTRACT_UNKNOWN: user(
    EXIT.invalid,
    'No source of the version defines this contract.',
    'Use the nearest contract name; when the key is a name of your own, name the contract under `contract`.',
    { example: 'contracts:\n  Credits: { contract: CreditLedger }' },
  ),
  PLAN_PARAM_MISSING: user(
    EXIT.invalid,
    'A constructor parameter is missing.',
    'Add it under `params`, by the name that the source gives it.',
    { example: 'Token: { params: { registry: <Registry_ADDRESS>, cap: "1000000" } }' },
  ),
  PLAN_PARAM_UNKNOWN: user(
    EXIT.invalid,
    'The constructor has no such parameter.',
    'Use the name as the source spells it, with its underscore.',
    {
      example:
        'params: { owner: <registrar_ADDRESS> }     # constructor(address _owner)\nparams: { _owner: <registrar_ADDRESS> }    # correct',
    },
  ),
  PLAN_PARAM_TYPE: user(
    EXIT.invalid,
    'A constructor parameter has a value of the wrong type.',
    'Give a value of the type named; put large integers in quotes.',
    {
      more: 'Integers are kept to the digit, however long; they must fit the type (`uint8` ends at 255).',
      example: 'cap: "one million"    # uint256\ncap: "1000000"        # correct',
    },
  ),
  PLAN_ROWS: user(
    EXIT.invalid,
    'The rows of a batch cannot be read.',
    'Save the file as UTF-8 CSV with a header line, or as NDJSON.',
    { example: 'student_id,full_name,wallet\nS-1001,Alice Tan,0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
  ),
  PLAN_ROW_KEY: user(
    EXIT.invalid,
    'A row has no key, or one that another row has too.',
    'Give each row its own key; the column is the one that `key` names.',
    {
      more: 'The key is what a certificate belongs to: with two rows of one key, nobody could tell which was minted.',
    },
  ),
  PLAN_MAX_SUPPLY: user(
    EXIT.invalid,
    'The batches hold more certificates than max_supply allows.',
    'Raise max_supply before the contract is deployed, or remove rows.',
    { example: 'diplomas: { max_supply: 500 }    # 0: no limit' },
  ),
} as const satisfies Record<string, CodeRow>;
