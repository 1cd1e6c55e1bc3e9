import { describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, textMember, type JsonObject } from '../../src/model/json.js';
import { servedHandlers } from '../../src/platform/server/health.js';
import {
  CAPABILITIES,
  ENDPOINTS,
  endpointOf,
  MINT_TIERS,
  VERSION_NAME,
} from '../../src/protocol/endpoint.js';
import {
  answerOf,
  bodyOf,
  component,
  DOCUMENT,
  faultsOf,
  objectAt,
  OPERATIONS,
  resolved,
  type Operation,
} from '../support/openapi.js';

/** An operation as the table of endpoints would have it. */
function rowOf(operation: Operation) {
  const result = objectAt(answerOf(operation, 200) ?? {}, 'properties');
  const [tag] = operation.definition['tags'] as readonly string[];
  const type = bodyOf(operation)?.type;
  const isList = isJsonObject(result['result']) && resolved(result['result'])['type'] === 'array';
  return {
    method: operation.method,
    path: operation.path,
    body: type === undefined ? 'none' : type === 'application/json' ? 'json' : 'multipart',
    envelope: 'message' in result ? 'message' : 'status',
    paged: isList && operation.id !== 'utils.compiler-versions',
    capability: tag === 'core' ? undefined : tag,
    scope: operation.definition['x-scope'],
  };
}

describe('the OpenAPI document', () => {
  it('has exactly the operations of the protocol, each with its method, path, body, envelope, capability and scope', () => {
    const documented = Object.fromEntries(OPERATIONS.map((operation) => [operation.id, rowOf(operation)]));
    const known = Object.keys(ENDPOINTS).map((name) => {
      const {
        method,
        path,
        body,
        envelope,
        paged = false,
        capability,
        scope,
      } = endpointOf(name as keyof typeof ENDPOINTS);
      return [name, { method, path, body, envelope, paged, capability, scope }] as const;
    });
    expect(documented).toEqual(Object.fromEntries(known));
    expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length);
  });

  it('has exactly the operations that the platform serves', () => {
    expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(Object.keys(servedHandlers()).sort());
    const core = OPERATIONS.filter(({ definition }) =>
      (definition['tags'] as readonly string[]).includes('core'),
    );
    expect(core.map(({ id }) => id).sort()).toEqual(Object.keys(servedHandlers([])).sort());
  });

  it('has tags for the core and for every capability', () => {
    const tags = (DOCUMENT['tags'] as readonly JsonObject[]).map(({ name }) => name);
    expect(tags).toEqual(['core', ...CAPABILITIES]);
  });

  it('names every path parameter, and requires it', () => {
    for (const { path, definition } of OPERATIONS) {
      const named = ((definition['parameters'] ?? []) as readonly JsonObject[]).filter(
        (one) => one['in'] === 'path',
      );
      expect(named.map(({ name }) => name)).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
      );
      expect(named.every(({ required }) => required === true)).toBe(true);
    }
  });

  it('holds valid schemas only, whose references all lead somewhere', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const texts = JSON.stringify(DOCUMENT).match(/"\$ref":"#\/[^"]+"/g) ?? [];
    for (const text of new Set(texts)) {
      const names = text.slice(10, -1).split('/');
      expect(objectAt(DOCUMENT, ...names)).toBeDefined();
    }
    for (const name of Object.keys(objectAt(DOCUMENT, 'components', 'schemas'))) {
      expect([name, ajv.validateSchema(component(name) as object)]).toEqual([name, true]);
    }
  });

  it('says of every component, field and parameter what it means', () => {
    const silent: string[] = [];
    const visit = (schema: JsonObject, label: string): void => {
      if (typeof schema['description'] !== 'string') silent.push(label);
      for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as JsonObject))
        visit(inner as JsonObject, `${label}.${name}`);
    };
    for (const name of Object.keys(objectAt(DOCUMENT, 'components', 'schemas'))) visit(component(name), name);
    for (const { id, definition } of OPERATIONS)
      for (const one of (definition['parameters'] ?? []) as readonly JsonObject[])
        visit(one, `${id}?${textMember(one, 'name') ?? ''}`);
    expect(silent).toEqual([]);
  });

  it('takes the version names that the client sends, and no others', () => {
    const schema = objectAt(component('VersionForm'), 'properties', 'version');
    for (const name of ['1.0.0', 'v1_2-rc.1', '1 0', 'ä', '', 'a/b'])
      expect([name, faultsOf(schema, name, false).length === 0]).toEqual([name, VERSION_NAME.test(name)]);
  });

  it('documents every tier of images', () => {
    expect(OPERATIONS.filter(({ id }) => id.startsWith('certificate.mint')).map(({ id }) => id)).toEqual(
      MINT_TIERS.map(({ endpoint }) => endpoint),
    );
  });
});
