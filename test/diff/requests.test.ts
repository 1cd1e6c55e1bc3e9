import { describe, expect, test } from 'vitest';
import type { ResourceId } from '../../src/model/id.js';
import type { AnyResource } from '../../src/model/resource.js';
import { addressPlaceholder } from '../../src/model/value.js';
import { groupRequests } from '../../src/diff/requests.js';
import { category, contract } from '../support/builders.js';

const REGISTRY = contract('Registry');
const REF = addressPlaceholder(REGISTRY.id);

function grouped(
  resources: readonly AnyResource[],
  alone: readonly ResourceId[] = [],
): readonly (readonly string[])[] {
  return groupRequests(resources, new Set(alone)).map((group) => group.map(({ id }) => id));
}

describe('contracts of one deployment', () => {
  test('share a request, at the place of the first', () => {
    const token = contract('Token', { registry: REF, cap: '1' });
    expect(grouped([category('a'), REGISTRY, category('b'), token])).toEqual([
      ['category.a'],
      [REGISTRY.id, token.id],
      ['category.b'],
    ]);
  });

  test('go alone when the plan says so', () => {
    const vault = contract('Vault');
    expect(grouped([REGISTRY, vault], ['deployment.core'])).toEqual([[REGISTRY.id], [vault.id]]);
  });

  test('do not share when two are instances of one contract, because the token would be ambiguous', () => {
    const twin = contract('Twin', {}, { contract: 'Registry' });
    expect(grouped([REGISTRY, twin])).toEqual([[REGISTRY.id], [twin.id]]);
  });

  test('do not share when the token would stand inside a list, a tuple or a longer text', () => {
    for (const value of [[REF], { nested: REF }, { $placeholder: ['registry:', { ref: REGISTRY.id }] }]) {
      const token = contract('Token', { registry: value });
      expect(grouped([REGISTRY, token])).toEqual([[REGISTRY.id], [token.id]]);
    }
  });

  test('share although they hold addresses from elsewhere in any place', () => {
    const elsewhere = { $placeholder: ['to:', { ref: 'wallet.bob' as const }] };
    const token = contract('Token', { list: [addressPlaceholder('wallet.bob')], text: elsewhere });
    expect(grouped([REGISTRY, token])).toEqual([[REGISTRY.id, token.id]]);
  });

  test('of another deployment make another request', () => {
    const other = ['A', 'B'].map((name) => contract(name, {}, { deployment: 'deployment.other' }));
    const vault = contract('Vault');
    expect(grouped([REGISTRY, ...other, vault])).toEqual([
      [REGISTRY.id, vault.id],
      other.map(({ id }) => id),
    ]);
  });
});
