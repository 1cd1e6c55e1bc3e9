import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/model/canonical.js';
import type { Json } from '../../src/model/json.js';
import { addressPlaceholder } from '../../src/model/value.js';
import { changedFields, driftedFields } from '../../src/diff/fields.js';

const JSON_VALUE = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe('changed fields', () => {
  test('are none exactly when the two values are equal', () => {
    fc.assert(
      fc.property(JSON_VALUE, JSON_VALUE, (a, b) => {
        expect(changedFields(a, a)).toEqual([]);
        expect(changedFields(a, b).length === 0).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });

  test('are named by their path', () => {
    const before = { params: { cap: '1', owner: 'a' }, sources: { 'Token.sol': 'x' }, list: [1, 2] };
    const after = { params: { cap: '2' }, sources: { 'Token.sol': 'y' }, list: [1, 3, 4] };
    expect(changedFields(before, after)).toEqual([
      { path: 'list[1]', before: 2, after: 3 },
      { path: 'list[2]', after: 4 },
      { path: 'params.cap', before: '1', after: '2' },
      { path: 'params.owner', before: 'a' },
      { path: 'sources[Token.sol]', before: 'x', after: 'y' },
    ]);
  });

  test('show a placeholder as one value', () => {
    const placeholder = addressPlaceholder('contract.core.Token');
    expect(changedFields({ a: '0x1' }, { a: placeholder })).toEqual([
      { path: 'a', before: '0x1', after: placeholder },
    ]);
  });
});

describe('drift', () => {
  test('is looked for only in the members that a read shows, each compared whole', () => {
    const locked = { name: 'a', compiler: { solidity: '1', runs: 2 } };
    expect(driftedFields(locked, {})).toEqual([]);
    expect(driftedFields(locked, { name: 'a' })).toEqual([]);
    expect(driftedFields(locked, { compiler: { solidity: '1' } })).toEqual([
      { path: 'compiler.runs', before: 2 },
    ]);
    expect(driftedFields(null, { name: 'a' })).toEqual([]);
  });
});
