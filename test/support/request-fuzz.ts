import { isJsonObject, textMember, type Json, type JsonObject } from '../../src/model/json.js';
import { bodyOf, resolved, type Operation } from './openapi.js';

/** A source of numbers from 0 to 1 that one seed fixes. */
export type Chance = () => number;

/** Numbers that a seed fixes (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of a list. */
function pick<T>(chance: Chance, list: readonly T[]): T {
  return list[Math.floor(chance() * list.length)] as T;
}

/** Values that exist on the platform, by the name of the field or parameter that takes them. */
export type Pool = Readonly<Record<string, readonly string[]>>;

/** A request to send. */
export interface Draft {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

/** Values that something may stumble over. */
const HOSTILE: readonly Json[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  true,
  [],
  {},
  [[]],
  [null],
  { a: { b: [] } },
  'null',
  '\u0000',
  '\ud800',
  'ä'.repeat(300),
  'x'.repeat(70_000),
  '0x',
  `0x${'0'.repeat(40)}`,
  `0x${'f'.repeat(64)}`,
  "' OR 1=1 --",
  '${7*7}{{7*7}}',
  '{Missing_ADDRESS}',
  '1'.repeat(400),
  '-0',
  '1e5',
  '../../../etc/passwd',
  { toString: 1, constructor: 2, length: 3 },
  JSON.parse('{"__proto__":{"x":1}}') as Json,
];

/** Texts that something may stumble over in a path or query, as they travel. */
const HOSTILE_TEXTS = [
  '..%2f..%2f',
  '%00',
  'a%0d%0ab',
  '%F0%9F%98%80',
  'x'.repeat(2000),
  '-1',
  '0',
  '1e9',
  '%27%20OR%201=1',
  'null',
  '%5B%5D',
  '__proto__',
];

/** A request that the document allows, or one that was spoilt in one to three places. */
export function draftOf(operation: Operation, pool: Pool, chance: Chance): Draft {
  const spoilt = chance() < 0.6 ? 1 + Math.floor(chance() * 3) : 0;
  const path = pathOf(operation, pool, chance, spoilt > 0);
  const { method } = operation;
  const body = bodyOf(operation);
  if (!body) return { method, path, headers: {}, body: undefined };
  let value = valueOf(body.schema, '', pool, chance);
  for (let time = 0; time < spoilt; time += 1) value = spoil(value, chance);
  if (body.type === 'multipart/form-data') return { method, path, ...formOf(value, chance, spoilt > 0) };
  const json = { 'content-type': 'application/json' };
  if (spoilt > 0 && chance() < 0.1) return { method, path, ...rawBody(chance) };
  return { method, path, headers: json, body: JSON.stringify(value) };
}

function pathOf(operation: Operation, pool: Pool, chance: Chance, spoilt: boolean): string {
  const text = (name: string, schema: JsonObject): string => {
    if (spoilt && chance() < 0.3) return pick(chance, HOSTILE_TEXTS);
    const value = valueOf(schema, name, pool, chance);
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  };
  const parameters = (operation.definition['parameters'] ?? []) as readonly JsonObject[];
  let path = operation.path;
  const query: string[] = [];
  for (const parameter of parameters) {
    const name = textMember(parameter, 'name') ?? '';
    const schema = parameter['schema'] as JsonObject;
    if (parameter['in'] === 'path') path = path.replace(`{${name}}`, text(name, schema));
    else if (parameter['required'] === true || chance() < 0.5) query.push(`${name}=${text(name, schema)}`);
  }
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** A value that a schema allows. */
function valueOf(schema: JsonObject, name: string, pool: Pool, chance: Chance): Json {
  const known = pool[name];
  if (known && chance() < 0.8) return pick(chance, known);
  const reference = textMember(schema, '$ref');
  if (reference !== undefined) {
    const component = reference.split('/').at(-1) ?? '';
    const made = pool[component];
    return made ? pick(chance, made) : valueOf(resolved(schema), name, pool, chance);
  }
  const choices = schema['enum'] ?? ('const' in schema ? [schema['const'] ?? null] : undefined);
  if (Array.isArray(choices)) return pick(chance, choices as readonly Json[]);
  if (Array.isArray(schema['anyOf']) && !('properties' in schema))
    return valueOf(pick(chance, schema['anyOf'] as readonly JsonObject[]), name, pool, chance);
  return typedValue(schema, name, pool, chance);
}

function typedValue(schema: JsonObject, name: string, pool: Pool, chance: Chance): Json {
  const type = Array.isArray(schema['type'])
    ? pick(chance, schema['type'] as readonly Json[])
    : schema['type'];
  if (type === 'object') return objectOf(schema, pool, chance);
  if (type === 'array') return arrayOf(schema, name, pool, chance);
  if (type === 'integer' || type === 'number')
    return Math.floor(chance() * 5) + Number(schema['minimum'] ?? 0);
  if (type === 'boolean') return chance() < 0.5;
  if (type === 'null') return null;
  return textOf(schema, chance);
}

function arrayOf(schema: JsonObject, name: string, pool: Pool, chance: Chance): Json {
  const items = schema['items'];
  const length = schema['maxItems'] === 0 ? 0 : 1 + Math.floor(chance() * 2);
  return Array.from({ length }, () => (isJsonObject(items) ? valueOf(items, name, pool, chance) : 'item'));
}

function objectOf(schema: JsonObject, pool: Pool, chance: Chance): JsonObject {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const entries = Object.entries((schema['properties'] ?? {}) as JsonObject).flatMap(([name, inner]) =>
    required.has(name) || chance() < 0.6
      ? [[name, valueOf(inner as JsonObject, name, pool, chance)] as const]
      : [],
  );
  return Object.fromEntries(entries);
}

function textOf(schema: JsonObject, chance: Chance): string {
  const examples = schema['examples'];
  if (Array.isArray(examples)) return pick(chance, examples as readonly string[]);
  const pattern = textMember(schema, 'pattern') ?? '';
  if (pattern.includes('\\d')) return String(Math.floor(chance() * 30));
  return pick(chance, ['text', 'Ünïcödé ✓', 'a'.repeat(60), 'two words']);
}

/** The value with one member, somewhere in it, dropped, replaced or added. */
function spoil(value: Json, chance: Chance): Json {
  if (Array.isArray(value) && value.length > 0 && chance() < 0.8) {
    const list = value as readonly Json[];
    const at = Math.floor(chance() * list.length);
    return list.map((item, index) => (index === at ? spoil(item, chance) : item));
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return pick(chance, HOSTILE);
  const name = pick(chance, Object.keys(value));
  const way = chance();
  if (way < 0.2) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  if (way < 0.3)
    return { ...value, [pick(chance, ['__proto__', 'extra', 'toString', ''])]: pick(chance, HOSTILE) };
  return { ...value, [name]: way < 0.6 ? spoil(value[name] ?? null, chance) : pick(chance, HOSTILE) };
}

function rawBody(chance: Chance): Pick<Draft, 'headers' | 'body'> {
  return pick(chance, [
    { headers: { 'content-type': 'application/json' }, body: '{' },
    { headers: { 'content-type': 'application/json' }, body: `${'['.repeat(20_000)}${']'.repeat(20_000)}` },
    { headers: { 'content-type': 'application/json' }, body: '"text"' },
    { headers: { 'content-type': 'application/json' }, body: '{"__proto__":{"a":1}}' },
    { headers: { 'content-type': 'application/xml' }, body: '<a/>' },
    { headers: { 'content-type': 'text/plain' }, body: '{}' },
    { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a[b]=1&a=2&a[b][c]=3&%zz=1' },
    { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: 'no parts at all' },
    { headers: { 'content-type': 'multipart/form-data' }, body: '--x--' },
  ]);
}

function formOf(value: Json, chance: Chance, spoilt: boolean): Pick<Draft, 'headers' | 'body'> {
  if (spoilt && chance() < 0.1) return rawBody(chance);
  const form = new FormData();
  for (const [name, member] of Object.entries(isJsonObject(value) ? value : {})) {
    const list = Array.isArray(member) ? (member as readonly Json[]) : [member];
    for (const item of list) append(form, name, item, spoilt && chance() < 0.05);
  }
  if (spoilt && chance() < 0.1)
    form.append(pick(chance, ['a[b', 'a]b[', '[]', 'a[][][][][][][][][][]']), 'x');
  return { headers: {}, body: form };
}

function append(form: FormData, name: string, value: Json, swapped: boolean): void {
  const isFile = name === 'file' || name.startsWith('contract_files');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (isFile === swapped) {
    form.append(name, text);
    return;
  }
  const filename = name === 'file' ? 'image.png' : 'Fuzz.sol';
  form.append(name, new Blob([name === 'file' && !swapped ? PNG : text]), filename);
}

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
