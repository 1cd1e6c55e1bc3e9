import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { isJsonObject, textMember, type Json, type JsonObject } from '../../src/model/json.js';
import type { Exchange } from '../../src/platform/server/exchanges.js';

/** An operation of `schemas/openapi.yaml`. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly definition: JsonObject;
}

/** The document, references and all. */
export const DOCUMENT: JsonObject = parse(
  readFileSync(new URL('../../schemas/openapi.yaml', import.meta.url), 'utf8'),
) as JsonObject;

/** Its operations, in the order of the document. */
export const OPERATIONS: readonly Operation[] = Object.entries(objectAt(DOCUMENT, 'paths')).flatMap(
  ([path, item]) =>
    Object.entries(item as JsonObject).map(([method, definition]) => ({
      id: textMember(definition, 'operationId') ?? '',
      method: method.toUpperCase(),
      path,
      definition: definition as JsonObject,
    })),
);

/** The object at a path of names in the document. */
export function objectAt(from: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce<JsonObject>((here, name) => {
    const next = here[name];
    if (!isJsonObject(next)) throw new Error(`no object at ${names.join('/')}`);
    return next;
  }, from);
}

/** What a `$ref` of the document names; other objects as they are. */
export function resolved(schema: JsonObject): JsonObject {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return resolved(objectAt(DOCUMENT, ...reference.replace('#/', '').split('/')));
}

/** The schema of a request body, with its content type; undefined when the operation takes none. */
export function bodyOf(
  operation: Operation,
): { readonly type: string; readonly schema: JsonObject } | undefined {
  if (!('requestBody' in operation.definition)) return undefined;
  const content = objectAt(operation.definition, 'requestBody', 'content');
  const [type = ''] = Object.keys(content);
  return { type, schema: objectAt(content, type, 'schema') };
}

/** The schema of the answer with a status; the one for 5XX for all of those. Undefined when there is none. */
export function answerOf(operation: Operation, status: number): JsonObject | undefined {
  const responses = objectAt(operation.definition, 'responses');
  const response = responses[String(status)] ?? responses[`${String(status)[0] ?? ''}XX`];
  if (!isJsonObject(response)) return undefined;
  return objectAt(resolved(response), 'content', 'application/json', 'schema');
}

const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true });
ajv.addFormat('uri', (text: string) => URL.canParse(text));
for (const closed of [true, false]) {
  const components = forAjv(objectAt(DOCUMENT, 'components', 'schemas'), closed) as JsonObject;
  for (const [name, schema] of Object.entries(components))
    ajv.addSchema(schema as object, keyOf(name, closed));
}
const validators = new Map<JsonObject, ValidateFunction>();

/**
 * What of a value a schema of the document does not allow, each with its path; empty when it conforms.
 *
 * @param closed whether members that the document does not name are faults: true for what the service says, false for
 * what it is sent
 */
export function faultsOf(schema: JsonObject, value: unknown, closed: boolean): readonly string[] {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(forAjv(schema, closed) as object);
    validators.set(schema, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params, data }) =>
      `${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}: ${(JSON.stringify(data) ?? '').slice(0, 120)}`,
  );
}

/** The named component. */
export function component(name: string): JsonObject {
  return objectAt(DOCUMENT, 'components', 'schemas', name);
}

/** What is wrong with an exchange: an answer that the document does not describe, or a request it does not allow. */
export function exchangeFaults(exchange: Exchange): readonly string[] {
  const operation = OPERATIONS.find(({ id }) => id === exchange.endpoint);
  if (!operation) return [`${exchange.endpoint} is not documented`];
  const where = `${operation.method} ${operation.path} → ${String(exchange.status)}`;
  const answer = answerOf(operation, exchange.status);
  if (!answer) return [`${where} is not documented`];
  const faults = faultsOf(answer, exchange.body, true).map((fault) => `${where}: answer ${fault}`);
  // What was refused may be wrong in any way; what was accepted may not.
  if (exchange.status >= 300) return faults;
  const sent = bodyOf(operation);
  const body = sentBody(exchange, sent?.type === 'multipart/form-data');
  return [
    ...faults,
    ...(sent ? faultsOf(sent.schema, body, false) : []).map((fault) => `${where}: request ${fault}`),
    ...queryFaults(operation, exchange).map((fault) => `${where}: ${fault}`),
  ];
}

function queryFaults(operation: Operation, { query }: Exchange): readonly string[] {
  const parameters = (operation.definition['parameters'] ?? []) as readonly JsonObject[];
  return parameters
    .filter((parameter) => parameter['in'] === 'query')
    .flatMap((parameter) => {
      const name = textMember(parameter, 'name') ?? '';
      const text = query[name];
      if (text === undefined || text === '')
        return parameter['required'] === true ? [`query ${name} is missing`] : [];
      const schema = objectAt(parameter, 'schema');
      const value = schema['type'] === 'integer' ? Number(text) : text;
      return faultsOf(schema, value, false).map((fault) => `query ${name} ${fault}`);
    });
}

/** A body as the document describes it: without what counts as absent, form fields under their names. */
export function sentBody({ sent }: Exchange, asForm: boolean): Json {
  if (sent.type === 'none') return {};
  if (sent.type === 'json') return withoutAbsent(sent.body);
  if (!asForm) return withoutAbsent(nested(sent.fields));
  const fields: Record<string, Json> = {};
  const add = (name: string, value: string): void => {
    const plain = name.replace(/\[\d*\]$/, '[]');
    const list = fields[plain];
    if (!plain.endsWith('[]')) fields[plain] = value;
    else fields[plain] = [...(Array.isArray(list) ? (list as readonly Json[]) : []), value];
  };
  for (const [name, value] of sent.fields) if (value !== '') add(name, value);
  for (const field of sent.files) add(field === 'contract_files' ? 'contract_files[]' : field, '(file)');
  return fields;
}

function nested(fields: readonly (readonly [name: string, value: string])[]): JsonObject {
  const root: Record<string, Json> = {};
  for (const [name, value] of fields) {
    const [first = '', second] = name.replaceAll(']', '').split('[');
    if (second === undefined) root[first] = value;
    else if (/^\d*$/.test(second)) root[first] = [...((root[first] ?? []) as readonly Json[]), value];
    else root[first] = { ...((root[first] ?? {}) as JsonObject), [second]: value };
  }
  return root;
}

function withoutAbsent(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null && member !== '');
  return Object.fromEntries(
    entries.map(([name, member]) => [name, name === 'params' ? member : withoutAbsent(member)]),
  );
}

function keyOf(name: string, closed: boolean): string {
  return `${closed ? 'closed' : 'open'}:${name}`;
}

/** A schema with its references as ajv knows them; closed, no object has members that it does not name. */
function forAjv(schema: Json, closed: boolean): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((item) => forAjv(item, closed));
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).map(([name, value]) => {
    if (name !== '$ref' || typeof value !== 'string') return [name, forAjv(value, closed)] as const;
    return [name, keyOf(value.split('/').at(-1) ?? '', closed)] as const;
  });
  const shut =
    closed && 'properties' in schema && isJsonObject(schema['properties']) && schema['type'] === 'object';
  return Object.fromEntries([
    ...entries,
    ...(shut && !('additionalProperties' in schema) ? [['additionalProperties', false] as const] : []),
  ]);
}
