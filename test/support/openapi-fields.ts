import { isJsonObject, textMember, type Json, type JsonObject } from '../../src/model/json.js';
import {
  answerOf,
  bodyOf,
  component,
  DOCUMENT,
  faultsOf,
  objectAt,
  OPERATIONS,
  type Operation,
} from './openapi.js';

/** One documented field: of a component, of an operation's parameters, or of its answer. */
export interface Field {
  /** `VersionItem.status`, `CompilerSettings.solidity.version`, `version.list?page`, `certificate.list:status`. */
  readonly label: string;
  readonly description: string;
  readonly source: string;
  /** Title of the test that pins it, after its file; undefined when none is named. */
  readonly test: string | undefined;
  /** Why no test can see a value in it; undefined where one must. */
  readonly unseen: string | undefined;
}

interface Origin {
  readonly source: string;
  readonly test: string | undefined;
}

/** Every field of every component, in the order of the document. */
export function componentFields(): readonly Field[] {
  const all = objectAt(DOCUMENT, 'components', 'schemas');
  return Object.keys(all).flatMap((name) => {
    const schema = component(name);
    return fieldsBelow(schema, name, originOf(schema, { source: 'assumption', test: undefined }));
  });
}

/** The parameters of an operation and the members of its answer's envelope. */
export function operationFields(operation: Operation): readonly Field[] {
  const origin = originOf(operation.definition, { source: 'assumption', test: undefined });
  const parameters = ((operation.definition['parameters'] ?? []) as readonly JsonObject[]).map((parameter) =>
    fieldOf(`${operation.id}?${textMember(parameter, 'name') ?? ''}`, parameter, originOf(parameter, origin)),
  );
  return [...parameters, ...fieldsBelow(answerOf(operation, 200) ?? {}, `${operation.id}:`, origin)];
}

/** Labels of the fields that have a value other than null in an answer or a body. */
export function labelsIn(schema: JsonObject, value: Json | undefined, label: string): readonly string[] {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.split('/').at(-1) ?? '';
    return labelsIn(component(name), value, name);
  }
  const branches = schema['anyOf'];
  if (Array.isArray(branches) && !('properties' in schema)) {
    const fitting = (branches as readonly JsonObject[]).filter(
      (branch) => faultsOf(branch, value, true).length === 0,
    );
    return fitting.flatMap((branch) => labelsIn(branch, value, label));
  }
  if (Array.isArray(value) && isJsonObject(schema['items'])) {
    const items = schema['items'];
    return (value as readonly Json[]).flatMap((item) => labelsIn(items, item, label));
  }
  if (!isJsonObject(value) || !isJsonObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([name, inner]) => {
    const member = value[name];
    if (member === undefined || member === null) return [];
    const here = joined(label, name);
    return [here, ...labelsIn(inner as JsonObject, member, here)];
  });
}

/** Labels that the request body of an operation may have values in, and those of its answers and callbacks. */
export function reachable(): { readonly sent: ReadonlySet<string>; readonly said: ReadonlySet<string> } {
  const sent = new Set<string>();
  const said = new Set<string>();
  for (const operation of OPERATIONS) {
    const body = bodyOf(operation);
    if (body) collect(body.schema, operation.id, sent);
    collect(answerOf(operation, 200) ?? {}, `${operation.id}:`, said);
    for (const schema of callbacksOf(operation)) collect(schema, operation.id, said);
  }
  return { sent, said };
}

/** Schemas of the bodies that an operation's callback may have. */
export function callbacksOf(operation: Operation): readonly JsonObject[] {
  if (!('callbacks' in operation.definition)) return [];
  const [expression = ''] = Object.keys(objectAt(operation.definition, 'callbacks', 'result'));
  const post = objectAt(operation.definition, 'callbacks', 'result', expression, 'post');
  const schema = objectAt(post, 'requestBody', 'content', 'application/json', 'schema');
  const branches = schema['anyOf'];
  return Array.isArray(branches) ? (branches as readonly JsonObject[]) : [schema];
}

function collect(schema: JsonObject, label: string, into: Set<string>): void {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.split('/').at(-1) ?? '';
    const mark = `${name}.`;
    if (into.has(mark)) return;
    into.add(mark);
    collect(component(name), name, into);
    return;
  }
  for (const branch of (schema['anyOf'] ?? []) as readonly JsonObject[]) collect(branch, label, into);
  if (isJsonObject(schema['items'])) collect(schema['items'], label, into);
  for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as JsonObject)) {
    into.add(joined(label, name));
    collect(inner as JsonObject, joined(label, name), into);
  }
}

function fieldsBelow(schema: JsonObject, label: string, origin: Origin): readonly Field[] {
  if ('$ref' in schema) return [];
  const items = isJsonObject(schema['items'])
    ? fieldsBelow(schema['items'], label, originOf(schema['items'], origin))
    : [];
  const properties = Object.entries((schema['properties'] ?? {}) as JsonObject).flatMap(([name, value]) => {
    const inner = value as JsonObject;
    const here = joined(label, name);
    const own = originOf(inner, origin);
    return [fieldOf(here, inner, own), ...fieldsBelow(inner, here, own)];
  });
  return [...items, ...properties];
}

function fieldOf(label: string, schema: JsonObject, { source, test }: Origin): Field {
  const unseen = schema['x-unseen'];
  const description = schema['description'];
  return {
    label,
    description: typeof description === 'string' ? description : '',
    source,
    test,
    unseen: typeof unseen === 'string' ? unseen : undefined,
  };
}

function originOf(schema: JsonObject, above: Origin): Origin {
  const { 'x-source': source, 'x-test': test } = schema as {
    readonly 'x-source'?: Json;
    readonly 'x-test'?: Json;
  };
  return {
    source: typeof source === 'string' ? source : above.source,
    test: typeof test === 'string' ? test : above.test,
  };
}

function joined(label: string, name: string): string {
  return label.endsWith(':') ? `${label}${name}` : `${label}.${name}`;
}
