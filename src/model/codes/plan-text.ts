import { EXIT, user, type CodeRow } from './row.js';

/** Codes of a plan's text: its YAML, its keys, and the names in it. */
export const PLAN_TEXT_CODES = {
  PLAN_INVALID: user(
    EXIT.invalid,
    'The plan has mistakes, each of which has a code and a place of its own.',
    'Correct what is listed; `windlass validate` shows it again.',
    { example: 'windlass validate --format json' },
  ),
  PLAN_SYNTAX: user(
    EXIT.invalid,
    'The text is not valid YAML.',
    'Correct the marked place; the cause may stand a line above it.',
    { example: 'name: "campus     # the closing quote is missing\nname: "campus"    # correct' },
  ),
  PLAN_FORBIDDEN_YAML: user(
    EXIT.invalid,
    'Anchors, aliases, merges and tags are refused in plans.',
    'Write the value out.',
    {
      more: 'A reviewer should see at each place what it says, and no edit should change a value elsewhere unseen.',
      example: 'use: *signer      # refused\nuse: registrar    # correct',
    },
  ),
  PLAN_DUPLICATE_KEY: user(
    EXIT.invalid,
    'A key stands twice in one map.',
    'Remove one of the two, or rename it.',
    { more: 'YAML readers differ in which of the two they take, so neither is.' },
  ),
  PLAN_TOO_LARGE: user(
    EXIT.invalid,
    'The plan is larger or nests deeper than is accepted.',
    'Move the rows of certificates to a CSV or NDJSON file and name it under `rows`.',
    { example: 'batches:\n  class-of-2026: { rows: data/class-of-2026.csv, key: student_id }' },
  ),
  PLAN_SCHEMA: user(
    EXIT.invalid,
    'A value does not have the shape that the schema asks for.',
    'Give a value of the form named; `windlass schema` has every key with an example.',
    {
      example: 'optimizer: { enabled: "yes" }    # a text\noptimizer: { enabled: true }     # correct',
    },
  ),
  PLAN_UNKNOWN_KEY: user(
    EXIT.invalid,
    'A key is not known at this place.',
    'Use the nearest known key, which the message names, or remove it.',
    { example: 'contracts:\n  Token: { parms: {} }     # not known\n  Token: { params: {} }    # correct' },
  ),
  PLAN_MISSING_KEY: user(EXIT.invalid, 'A required key is missing.', 'Add the key that the message names.', {
    example: 'windlass: 1             # every plan begins with both\nname: campus-release',
  }),
  PLAN_RESERVED_KEY: user(
    EXIT.invalid,
    'A key is a word that programs reserve, such as `constructor` or `__proto__`.',
    'Choose another name.',
  ),
  PLAN_UNKNOWN_ENVIRONMENT: user(
    EXIT.invalid,
    'The environment is not declared in the plan.',
    'Use --env with a declared name, or declare it under `environments`.',
    {
      more: '`local`, the embedded platform, exists in every plan without being declared.',
      example: 'environments:\n  test: { base_url: https://service.example.com }    # then: --env test',
    },
  ),
  PLAN_UNKNOWN_REFERENCE: user(
    EXIT.invalid,
    'A name is not declared in the plan.',
    'Use the nearest declared name, or declare it.',
    {
      example:
        'registry: <Regsitry_ADDRESS>    # no contract of this name\nregistry: <Registry_ADDRESS>    # correct',
    },
  ),
  PLAN_AMBIGUOUS_REFERENCE: user(
    EXIT.invalid,
    'A name fits several resources.',
    'Qualify it with the deployment.',
    {
      example:
        'token: <Token_ADDRESS>         # of core or of portal?\ntoken: <core.Token_ADDRESS>    # correct',
    },
  ),
  PLAN_BRACE_MAP: user(
    EXIT.invalid,
    'Unquoted braces are a YAML map, not a placeholder.',
    'Put it in quotes, or write it with angle brackets.',
    {
      example:
        'token: {Token_ADDRESS}      # a map\ntoken: "{Token_ADDRESS}"    # correct\ntoken: <Token_ADDRESS>      # the same',
    },
  ),
  PLAN_CYCLE: user(
    EXIT.invalid,
    'Resources depend on one another in a circle.',
    'Break the circle at one of the placeholders shown, for example with a setter that is called later.',
    {
      more: 'An address exists only after the deployment, so two contracts cannot each take the other in the constructor.',
      example:
        'Token: { params: { vault: <Vault_ADDRESS> } }\nVault: { params: { token: <Token_ADDRESS> } }    # a circle',
    },
  ),
  PLAN_ORDER_CONFLICT: user(
    EXIT.invalid,
    'The explicit order contradicts a placeholder.',
    'Remove the order or the placeholder; placeholders alone give an order already.',
    {
      example:
        'order: [Token, Registry]    # but Token takes <Registry_ADDRESS>\norder: [Registry, Token]    # correct',
    },
  ),
  PLAN_PLACEHOLDER_PLACE: user(
    EXIT.invalid,
    'An address that is known only when applied cannot stand here.',
    'Use constructor parameters, record metadata, or a key that takes a wallet or contract.',
    { example: 'name: Diploma of <Token_ADDRESS>    # refused: a name is fixed when planned' },
  ),
  PLAN_TEMPLATE: user(
    EXIT.invalid,
    'A template cannot be filled.',
    'Use a column of the rows or a declared variable, spelled as it is there.',
    {
      example:
        'name: "Diploma of {{ful_name}}"     # no such column\nname: "Diploma of {{full_name}}"    # correct\ndescription: "{{vars.cohort}}"      # declared under vars',
    },
  ),
  PLAN_ADDRESS: user(
    EXIT.invalid,
    'A chain address is malformed or its checksum is wrong.',
    'Copy the address again, in quotes: `0x` and 40 hex digits.',
    { more: 'Capital letters in an address are a checksum: one wrong digit shows.' },
  ),
  PLAN_VERSION_NAME: user(
    EXIT.invalid,
    'A version name has a forbidden character.',
    'Use letters, digits, dot, dash and underscore.',
    { example: 'versions:\n  1.0.0/beta: {}    # refused\n  1.0.0-beta: {}    # correct' },
  ),
  PLAN_NOT_OWNER: user(
    EXIT.invalid,
    'The signer does not hold or own what it writes to.',
    'Transfer a certificate from the wallet that the batch, or the transfer before, gives it to.',
    {
      more: 'Only the holder of a certificate can transfer it.',
      example: 'to-alice: { contract: diplomas, token: "class[S-1]", from: registrar, to: alice }',
    },
  ),
  PLAN_MOVED: user(
    EXIT.invalid,
    'A `moved` entry does not fit the plan.',
    'The old id must be gone from the plan, and the new one declared and of the same kind.',
    { example: 'moved: { contract.core.Token: contract.core.CampusToken }' },
  ),
} as const satisfies Record<string, CodeRow>;
