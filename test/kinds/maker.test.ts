import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.js';
import { addressPlaceholder } from '../../src/model/value.js';
import { createCertificateContract } from '../../src/kinds/certificate-contract.js';
import { mintCertificate } from '../../src/kinds/certificate.js';
import { deployContracts } from '../../src/kinds/deployment.js';
import { parametersDiffer } from '../../src/kinds/maker/difference.js';
import type { Known, ReadRequest } from '../../src/kinds/operation.js';
import { transferCertificate } from '../../src/kinds/transfer.js';
import { abilities, address, ALICE, hash, known, REGISTRAR } from '../support/builders.js';
import { found, judged, UNREADABLE, type Answers } from '../support/judging.js';

const ALL = abilities();

describe('parameters', () => {
  test('differ in nothing when one value is spelled in two ways', () => {
    const spelled: readonly (readonly [Json, Json])[] = [
      ['1000', 1000],
      ['0x3e8', '1000'],
      [true, 'true'],
      [false, 0],
      [ALICE, ALICE.toUpperCase().replace('0X', '0x')],
      [
        '115792089237316195423570985008687907853269984665640564039457584007913129639935',
        `0x${'f'.repeat(64)}`,
      ],
      [
        ['1', '2'],
        [1, 2],
      ],
    ];
    for (const [one, other] of spelled) {
      expect(parametersDiffer({ a: one }, { a: other }), JSON.stringify([one, other])).toBe(false);
      expect(parametersDiffer({ a: other }, { a: one }), JSON.stringify([other, one])).toBe(false);
    }
  });

  test('differ in what is another value, another length, or more than none', () => {
    expect(parametersDiffer({ a: '1' }, { a: '2' })).toBe(true);
    expect(parametersDiffer({ a: ['1'] }, { a: ['1', '2'] })).toBe(true);
    expect(parametersDiffer({ a: 'x' }, { a: 'X' })).toBe(true);
    expect(parametersDiffer({}, { a: '1' })).toBe(true);
  });

  test('differ in nothing that cannot be compared', () => {
    const later = addressPlaceholder('contract.core.Registry');
    expect(parametersDiffer({ registry: later, cap: '1' }, { registry: ALICE, cap: 1 })).toBe(false);
    for (const odd of [undefined, null, 'abi-encoded', [1], { b: 1 }])
      expect(parametersDiffer({ a: '1' }, odd)).toBe(false);
    expect(parametersDiffer({ a: '1' }, { a: { nested: 1 } })).toBe(false);
    expect(parametersDiffer({}, null)).toBe(false);
  });

  test('never differ from themselves, however a service spells them', () => {
    const value = fc.letrec<{ any: Json }>((tie) => ({
      any: fc.oneof(
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
        fc.array(tie('any'), { maxLength: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (params) => {
        expect(parametersDiffer(params, JSON.parse(JSON.stringify(params)) as Json)).toBe(false);
        const asText = (item: Json): Json =>
          Array.isArray(item)
            ? (item as readonly Json[]).map(asText)
            : typeof item === 'string'
              ? item
              : JSON.stringify(item);
        const texts = Object.fromEntries(Object.entries(params).map(([key, item]) => [key, asText(item)]));
        expect(parametersDiffer(params, texts)).toBe(false);
      }),
    );
  });
});

const TOKEN = 'contract.core.Token';
const DEPLOYED = {
  projectSlug: 'registry',
  versionSlug: '1-100',
  wallet: REGISTRAR,
  contracts: [{ id: TOKEN, name: 'Token', artifact: 12, events: true }],
  before: [],
  errorBefore: '',
  updatedBefore: 'then',
  deployedBefore: null,
};

/** A deployment whose answer was lost; or one that is settled and of which a second effect is looked for. */
function deploying(over: Partial<Known> = {}): Known {
  const inputs = { [TOKEN]: { params: { cap: '1000' } } };
  return known({ resources: [TOKEN], context: DEPLOYED, inputs, outcome: 'ambiguous', ...over });
}

/** Instances of the version, with what they were deployed with, and who created them. */
function shows(instances: Readonly<Record<string, readonly [cap: Json, ours: boolean]>>): Answers {
  const items = Object.entries(instances).map(([at, [cap]]) => ({
    contract_name: 'Token',
    contract_address: address(at),
    deployment_params: { cap },
  }));
  const created = (request: ReadRequest) => {
    if (request.type !== 'created') return UNREADABLE;
    const own = new Set(
      Object.keys(instances)
        .filter((at) => instances[at]?.[1])
        .map((at) => address(at)),
    );
    return found(
      Object.fromEntries(request.addresses.map((one) => [one.toLowerCase(), own.has(one) ? 7 : null])),
    );
  };
  const detail = { slug: '1-100', emitted_events: items, latest_error: '', updated_at: 'then' };
  return { 'version.detail': found(detail), 'instance.list': found(items), created };
}

function other(at: string, ...differs: readonly string[]): JsonObject {
  return { what: 'contract Token', name: address(at), differs: [...differs] };
}

describe('a deployment of somebody else', () => {
  const surplus = { surplus: true, made: [{ address: address('own') }] };

  test('is no second effect of ours, by wallet or by parameters; what cannot be told apart is', () => {
    const look = (instances: Parameters<typeof shows>[0]) =>
      judged(deployContracts, deploying(surplus), ALL, shows({ own: ['1000', true], ...instances }));
    const taken = (name: string): boolean => name === address('own');
    const seen = (instances: Parameters<typeof shows>[0]) =>
      judged(
        deployContracts,
        deploying({ ...surplus, isTaken: taken }),
        ALL,
        shows({ own: ['1000', true], ...instances }),
      );
    expect(look({})).toMatchObject({ type: 'confirmed' });
    expect(seen({ theirs: ['1000', false] })).toEqual({ type: 'wait', others: [other('theirs', 'sender')] });
    expect(seen({ theirs: ['7', true] })).toEqual({ type: 'wait', others: [other('theirs', 'parameters')] });
    expect(seen({ theirs: ['7', false], more: ['8', false] })).toEqual({
      type: 'wait',
      others: [other('theirs', 'sender', 'parameters'), other('more', 'sender', 'parameters')],
    });
    expect(seen({ again: [1000, true] })).toMatchObject({
      outputs: { [TOKEN]: { address: address('again') } },
    });
    expect(seen({ again: [1000, true], theirs: ['1000', false] })).toMatchObject({
      outputs: { [TOKEN]: { address: address('again') } },
      others: [other('theirs', 'sender')],
    });
  });

  test('is told by no wallet that did not create what is ours either: something else signs for it', () => {
    const isTaken = (name: string): boolean => name === address('own');
    const answers = shows({ own: ['1000', false], again: ['1000', false] });
    expect(judged(deployContracts, deploying({ ...surplus, isTaken }), ALL, answers)).toMatchObject({
      type: 'confirmed',
    });
  });

  test('is not taken for the effect of a lost answer, and is no proof that there is none', () => {
    const verdict = judged(deployContracts, deploying(), ALL, shows({ theirs: ['1000', false] }));
    expect(verdict).toEqual({ type: 'wait', shown: true, others: [other('theirs', 'sender')] });
    expect(
      judged(deployContracts, deploying(), ALL, shows({ theirs: ['1000', false], ours: ['1000', true] })),
    ).toMatchObject({ type: 'confirmed', outputs: { [TOKEN]: { address: address('ours') } } });
  });

  test('is not asked about where the service tells which deployment a contract is of', () => {
    const asked: string[] = [];
    const ids = { deploymentId: 'registry_1' };
    const answers = {
      ...shows({ ours: ['1000', true] }),
      created: () => (asked.push('created'), UNREADABLE),
    };
    expect(judged(deployContracts, deploying({ outcome: 'accepted', ids }), ALL, answers).type).toBe(
      'confirmed',
    );
    expect(asked).toEqual([]);
  });
});

describe('a certificate contract of somebody else', () => {
  const ID = 'certificate-contract.diplomas';
  const inputs = { [ID]: { nickname: 'diplomas', name: 'Diploma', symbol: 'DIP' } };
  const context = { nickname: 'diplomas', deployer: REGISTRAR, before: [] };
  const item = (name: string, symbol = 'DIP'): JsonObject => ({
    contract_address: address(name),
    contract_name: 'diplomas',
    transactionHash: hash(name),
    name: 'Diploma',
    symbol,
  });
  const look = (over: Partial<Known>, items: readonly JsonObject[], from: Readonly<Record<string, string>>) =>
    judged(createCertificateContract, known({ resources: [ID], context, inputs, ids: {}, ...over }), ALL, {
      'certificate.contract.list': found([...items]),
      receipt: (request) => {
        const name = Object.keys(from).find(
          (key) => request.type === 'receipt' && request.hash === hash(key),
        );
        if (name === undefined) return UNREADABLE;
        const made = { transactionHash: hash(name), contractAddress: address(name), to: null, status: true };
        return found({ ...made, from: from[name] ?? '' });
      },
    });

  test('is told by who sent its transaction, and by its symbol', () => {
    const lost = { outcome: 'ambiguous' } as const;
    expect(look(lost, [item('a'), item('b')], { a: ALICE, b: REGISTRAR })).toMatchObject({
      type: 'confirmed',
      outputs: { [ID]: { address: address('b') } },
      others: [{ name: address('a'), differs: ['sender'] }],
    });
    expect(look({ ...lost, surplus: true }, [item('a', 'OTHER')], { a: REGISTRAR })).toEqual({
      type: 'wait',
      others: [{ what: 'certificate contract diplomas', name: address('a'), differs: ['parameters'] }],
    });
    expect(look(lost, [item('a')], { a: ALICE })).toMatchObject({ type: 'wait', shown: true });
    expect(look(lost, [item('a')], {})).toMatchObject({ type: 'confirmed' });
  });
});

describe('a certificate of somebody else', () => {
  const ID = 'certificate.class[S-1]';
  const inputs = {
    [ID]: { name: 'Diploma', description: '-', attributes: [{ trait: 'Honours', value: 'first' }] },
  };
  const context = { contract: address('c'), to: ALICE, name: 'Diploma', before: [] };
  const mint = (name: string): JsonObject => ({
    nft_token_id: name.length,
    to_wallet: ALICE,
    transactionHash: hash(name),
    certificate: `/documents/${name}`,
    is_mint: 1,
  });
  const look = (documents: Readonly<Record<string, JsonObject>>, surplus = true) =>
    judged(
      mintCertificate,
      known({ resources: [ID], context, inputs, ids: {}, outcome: 'ambiguous', surplus }),
      ALL,
      {
        'certificate.list': found(Object.keys(documents).map(mint)),
        file: (request) => {
          const json =
            request.type === 'file' ? documents[request.url.slice('/documents/'.length)] : undefined;
          return json === undefined ? UNREADABLE : found({ digest: 'sha256:00', json });
        },
      },
    );
  const ours = { name: 'Diploma', description: '-', attributes: [{ trait_type: 'Honours', value: 'first' }] };

  test('to the same receiver is told by what it says', () => {
    expect(look({ a: { ...ours, name: 'Prize' } })).toMatchObject({ others: [{ name: hash('a') }] });
    expect(look({ a: { ...ours, attributes: [{ trait: 'Honours', value: 'second' }] } })).toMatchObject({
      type: 'wait',
      others: [{ differs: ['parameters'] }],
    });
    const added = { ...ours, attributes: [...ours.attributes, { trait_type: 'Issuer', value: 'X' }] };
    expect(look({ a: added })).toMatchObject({ type: 'confirmed' });
    expect(look({ a: { ...ours, name: 'Prize' }, bb: ours }, false)).toMatchObject({
      type: 'confirmed',
      outputs: { [ID]: { tokenId: '2' } },
    });
    expect(look({ a: { ...ours, name: 'Prize' } }, false)).toMatchObject({ type: 'wait', shown: true });
  });
});

describe('a transfer of somebody else', () => {
  const context = { contract: address('c'), from: REGISTRAR, to: ALICE, tokenId: '7', before: [] };
  const look = (from: string | undefined) =>
    judged(transferCertificate, known({ context, ids: {}, outcome: 'ambiguous' }), ALL, {
      'certificate.list': found([
        {
          nft_token_id: 7,
          to_wallet: ALICE,
          transactionHash: hash('t'),
          ...(from !== undefined && { from_wallet: from }),
        },
      ]),
    });

  test('is told by whom the token came from, where that is shown', () => {
    expect(look(REGISTRAR).type).toBe('confirmed');
    expect(look(undefined).type).toBe('confirmed');
    expect(look(address('else')).type).toBe('wait');
  });
});
