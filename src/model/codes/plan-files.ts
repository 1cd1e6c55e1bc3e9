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
    'A file lies outside the plan folder or is not a regular file.',
    'Move it beside the plan.',
    {
      more: 'No `..`, no absolute path, no link that leaves the folder: a plan from somebody else cannot take your files along.',
      example: 'rows: ../people.csv     # refused\nrows: data/people.csv    # correct',
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
