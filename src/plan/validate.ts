import type { ErrorCode } from '../model/error-codes.js';
import { suggestName } from './nearest.js';
import { child, plainValue, type MapNode, type PlanNode, type Span } from './node.js';
import { PLAN_SCHEMA, validatePlan } from './plan-validator.artifact.js';
import type { Problem, Problems } from './problems.js';

/** What ajv says of one fault (without messages, which are ours). */
interface Fault {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly propertyName?: string;
}

interface Place {
  readonly node: PlanNode;
  /** The key that holds the node; the node's own first unit at the top. */
  readonly keySpan: Span;
  /** The last part of the path, for messages. */
  readonly name: string;
}

const validator = validatePlan as unknown as {
  (value: unknown): boolean;
  readonly errors?: readonly Fault[] | null;
};

/** Reports where a document does not have the shape of the schema: at the key or the value that is wrong. */
export function validateShape(document: PlanNode, problems: Problems): void {
  if (validator(plainValue(document))) return;
  for (const fault of validator.errors ?? []) {
    const place = placeOf(document, fault.instancePath);
    if (place === undefined || place.node.type === 'broken') continue;
    const problem = problemOf(fault, place);
    if (problem !== undefined) problems.report(problem);
  }
}

function problemOf(fault: Fault, place: Place): Problem | undefined {
  const { node, keySpan, name } = place;
  const value = node.span.end > node.span.start ? node.span : keySpan;
  switch (fault.keyword) {
    case 'required':
      return missingKey(fault, place);
    case 'additionalProperties':
      return unknownKey(fault, node as MapNode, name);
    case 'propertyNames':
      return undefined;
    case 'pattern':
      return fault.propertyName === undefined
        ? { code: 'PLAN_SCHEMA', at: value, message: `${name} ${formOf(fault)}.` }
        : badName(fault, node as MapNode);
    case 'enum':
    case 'const':
      return { ...notAllowed(fault, place), at: value };
    default: {
      const at = node.type === 'scalar' ? value : keySpan;
      return { code: 'PLAN_SCHEMA', at, message: `${name} ${needOf(fault)}.` };
    }
  }
}

function missingKey({ params }: Fault, { node, keySpan, name }: Place): Problem | undefined {
  const missing = String(params['missingProperty']);
  if (child(node, missing) !== undefined) return undefined;
  const message = `${name} needs the key "${missing}".`;
  return { code: 'PLAN_MISSING_KEY', at: keySpan, message, fix: `Add "${missing}:" here.` };
}

function notAllowed({ params }: Fault, { node, name }: Place): Omit<Problem, 'at'> {
  const allowed = [params['allowedValues'] ?? params['allowedValue']].flat().map(String);
  const written = node.type === 'scalar' ? node.text : '';
  const fix = suggestName(written, allowed);
  return { code: 'PLAN_SCHEMA', message: `${name} cannot be "${written}".`, ...(fix && { fix }) };
}

function unknownKey(fault: Fault, node: MapNode, name: string): Problem {
  const key = String(fault.params['additionalProperty']);
  const known = Object.keys(schemaAt(fault.schemaPath)['properties'] ?? {});
  const free = known.filter((other) => !node.entries.has(other));
  const fix = suggestName(key, free.length > 0 ? free : known);
  const at = node.entries.get(key)?.keySpan ?? node.span;
  return { code: 'PLAN_UNKNOWN_KEY', at, message: `${name} has no key "${key}".`, ...(fix && { fix }) };
}

function badName(fault: Fault, node: MapNode): Problem {
  const key = fault.propertyName ?? '';
  const at = node.entries.get(key)?.keySpan ?? node.span;
  const code: ErrorCode = fault.schemaPath.includes('/versions/') ? 'PLAN_VERSION_NAME' : 'PLAN_SCHEMA';
  const allowed =
    code === 'PLAN_VERSION_NAME'
      ? 'letters, digits, dot, dash and underscore'
      : 'letters, digits, dash and underscore';
  // Letters lose their marks (ü becomes u); what has no such letter becomes a dash, but not at the ends.
  const plain = key.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const name = plain.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  const fix = `Use ${name || 'another name'}, for instance.`;
  return { code, at, message: `The name "${key}" may hold only ${allowed}.`, fix };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'a map',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'nothing',
};

/** What a value needs to be, as the end of a sentence that begins with its name. */
function needOf({ keyword, params }: Fault): string {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type': {
      const types = [params['type']].flat().map(String);
      const shown = types.includes('string') ? types.filter((type) => type !== 'number') : types;
      return `has to be ${shown.map((type) => TYPE_NAMES[type] ?? type).join(' or ')}`;
    }
    case 'minProperties':
      return limit === '1' ? 'needs one key' : `needs ${limit} keys`;
    case 'maxProperties':
      return limit === '1' ? 'takes exactly one of its keys' : `takes at most ${limit} keys`;
    case 'minItems':
      return limit === '1' ? 'must not be empty' : `needs ${limit} items`;
    case 'minimum':
      return `has to be ${limit} or more`;
    case 'maximum':
      return `has to be ${limit} or less`;
    default:
      return `does not fit the schema (${keyword})`;
  }
}

const FORMS: Readonly<Record<string, string>> = {
  '.': 'must not be empty',
  '^off$': 'has to be `off` or a map with `url`',
  '^(git|local)$': 'has to be `git`, `local` or a map with `git`',
  '^[A-Za-z0-9][A-Za-z0-9_.-]*$': 'has to be the name of a Git remote; an address is refused',
  '^https?://[^\\s/]+': 'has to begin with http:// or https://',
  '^.+:[0-9]{1,5}$': 'has to be HOST:PORT, e.g. 127.0.0.1:8787',
  '^[1-9][0-9]{0,6}/(s|min|h)$': 'has to be a number per time, e.g. 50/min',
  '^v?[0-9]+\\.[0-9]+\\.[0-9]+$': 'has to be an exact version, e.g. v0.8.28',
  '^[^@\\s]+@[^@\\s]+$': 'has to be PROJECT@VERSION, e.g. registry@1.0.0',
  '^[A-Za-z_][A-Za-z0-9_]*$': 'has to be the name of an environment variable',
  '^[A-Za-z_$][A-Za-z0-9_$]*$': 'has to be the name of a Solidity contract',
  '^[A-Za-z0-9][A-Za-z0-9_-]*$': 'may hold only letters, digits, dash and underscore',
};

function formOf({ params, schemaPath }: Fault): string {
  const pattern = String(params['pattern']);
  const packages = schemaPath.includes('/packages/') ? 'has to be PACKAGE@VERSION or PACKAGE' : undefined;
  return FORMS[pattern] ?? packages ?? `has to match ${pattern}`;
}

/** The schema that holds the keyword of a fault. */
function schemaAt(schemaPath: string): { readonly properties?: object } {
  let found: unknown = PLAN_SCHEMA;
  for (const part of schemaPath.split('/').slice(1, -1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    found = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[key] : undefined;
  }
  return typeof found === 'object' && found !== null ? found : {};
}

function placeOf(document: PlanNode, pointer: string): Place | undefined {
  let place: Place = {
    node: document,
    keySpan: { start: document.span.start, end: document.span.start + 1 },
    name: 'The plan',
  };
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (place.node.type === 'map') {
      const entry = place.node.entries.get(key);
      if (entry === undefined) return undefined;
      place = { node: entry.value, keySpan: entry.keySpan, name: `"${key}"` };
    } else if (place.node.type === 'list') {
      const item = place.node.items[Number(key)];
      if (item === undefined) return undefined;
      place = { node: item, keySpan: item.span, name: `An item of ${place.name}` };
    } else return undefined;
  }
  return place;
}
