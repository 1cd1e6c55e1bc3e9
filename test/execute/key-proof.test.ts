import { describe, expect, test } from 'vitest';
import type { ResourceId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import { proveKey } from '../../src/execute/key-proof.js';
import type { ReadAnswer, ReadRequest } from '../../src/kinds/operation.js';
import type { Outputs } from '../../src/state/event.js';
import { lineage } from '../support/locked.js';
import { abilities, address, hash } from '../support/builders.js';

const ALL = abilities();
const CORE = abilities({ capabilities: [] });
const CHAIN = abilities({ capabilities: [], chain: true });

type Locked = Readonly<Record<ResourceId, readonly [inputs: Json, outputs: Outputs]>>;

const LOCKED: Locked = {
  'project.registry': [{}, { slug: 'registry-1' }],
  'version.registry@1.0.0': [{}, { slug: '1-100' }],
  'contract.core.Token': [{ version: 'version.registry@1.0.0' }, { address: address('token') }],
  'audit-contract.log': [{}, { address: address('log') }],
  'tag.v1': [{}, { id: 7 }],
  'wallet.alice': [{}, { address: address('alice') }],
  'audit-record.a': [{ contract: address('log') }, { transaction: hash('a') }],
  'certificate.class[1]': [{ contract: address('c') }, { tokenId: '1', transaction: hash('c') }],
};

/** What a key is shown: everything but what the predicate takes out. */
async function prove(
  able: typeof ALL,
  answer: (request: Extract<ReadRequest, { type: 'service' }>) => ReadAnswer,
  locked = LOCKED,
) {
  const asked: string[] = [];
  const read = (request: ReadRequest): Promise<ReadAnswer> => {
    if (request.type !== 'service') throw new Error('what everybody can read proves nothing');
    asked.push(request.endpoint);
    return Promise.resolve(answer(request));
  };
  const proof = await proveKey(lineage({ locked }).lock?.entries ?? new Map(), {
    service: { read },
    abilities: able,
  });
  return { ...proof, asked };
}

const found: ReadAnswer = { type: 'found', value: {}, source: 'read' };
const absent: ReadAnswer = { type: 'absent' };

describe('what a key reads of a lock', () => {
  test('proves it when it is shown what only one organisation has, and nothing is missing', async () => {
    const proof = await prove(ALL, () => found);
    expect(proof).toMatchObject({ verdict: 'same', missing: [] });
    expect([...proof.shown].sort()).toEqual(['audit-contract.log', 'contract.core.Token', 'wallet.alice']);
    expect(proof.looked.length).toBeGreaterThan(0);
  });

  test('disproves it when nothing of that is shown, whatever bears the same names', async () => {
    const named = new Set(['version.detail', 'audit.tag.detail']);
    const proof = await prove(ALL, ({ endpoint }) => (named.has(endpoint) ? found : absent));
    expect(proof).toMatchObject({ verdict: 'other', shown: [] });
    expect(await prove(ALL, () => absent)).toMatchObject({ verdict: 'other' });
  });

  test('decides nothing when only a part is shown, or nothing but names can be read', async () => {
    const part = ({ endpoint }: { readonly endpoint: string }) =>
      endpoint === 'wallet.detail' ? absent : found;
    expect(await prove(ALL, part)).toMatchObject({ verdict: 'mixed', missing: ['wallet.alice'] });
    for (const able of [CORE, CHAIN])
      expect(await prove(able, () => found)).toMatchObject({ verdict: 'unreadable' });
    const unreadable: ReadAnswer = { type: 'unreadable', message: 'HTTP 500' };
    expect(await prove(ALL, () => unreadable)).toMatchObject({ verdict: 'unreadable' });
  });

  test('proves it by the interface alone where a version lists our contract, but never by its silence', async () => {
    const listing = { emitted_events: [{ contract_name: 'Token', contract_address: address('token') }] };
    expect(await prove(CORE, () => ({ ...found, value: listing }))).toMatchObject({
      verdict: 'same',
      shown: ['contract.core.Token'],
    });
  });

  test('asks for no more than three of a kind, and never for records and certificates', async () => {
    const many = Object.fromEntries(
      Array.from(
        { length: 50 },
        (_, index) => [`wallet.w${index}`, [{}, { address: address(index) }]] as const,
      ),
    ) as Locked;
    const { asked } = await prove(ALL, () => found, { ...LOCKED, ...many });
    expect(asked.filter((endpoint) => endpoint === 'wallet.detail')).toHaveLength(3);
    expect(asked.some((endpoint) => /certificate\.list|transactions/.test(endpoint))).toBe(false);
    expect(asked.length).toBeLessThan(20);
  });
});
