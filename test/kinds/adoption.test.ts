import { describe, expect, it } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import type { KindName } from '../../src/model/id.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import { adoptionOf, type AdoptionView, type Appraisal } from '../../src/kinds/adoption.js';
import type { Abilities } from '../../src/kinds/kind.js';
import type { ReadAnswer, ReadRequest } from '../../src/kinds/operation.js';
import { CAPABILITIES } from '../../src/protocol/endpoint.js';

const ALL: Abilities = { capabilities: new Set(CAPABILITIES), callbacks: true, chain: true };
const CORE: Abilities = { capabilities: new Set(), callbacks: true, chain: false };
const A = `0x${'aa'.repeat(20)}`;
const B = `0x${'bb'.repeat(20)}`;
const C = `0x${'cc'.repeat(20)}`;
const TX = `0x${'12'.repeat(32)}`;
const ABSENT: ReadAnswer = { type: 'absent' };
const UNREADABLE: ReadAnswer = { type: 'unreadable', message: 'HTTP 500' };

function read(value: Json): ReadAnswer {
  return { type: 'found', value, source: 'read' };
}

function receipt(over: JsonObject = {}): ReadAnswer {
  const value = { transactionHash: TX, from: A, status: true, logs: [], ...over };
  return { type: 'found', value, source: 'chain' };
}

/** Appraises what is given, answering each read by its endpoint or type; what is not answered is absent. */
function appraise(
  kind: KindName,
  over: Partial<AdoptionView>,
  answers: Readonly<Record<string, ReadAnswer>> = {},
): Appraisal {
  const adoption = adoptionOf(kind);
  if (adoption === undefined) throw new Error(`${kind} cannot be adopted`);
  const view = { id: `${kind}.x`, inputs: {}, context: {}, given: {}, abilities: ALL, ...over } as const;
  const got: ReadAnswer[] = [];
  for (let next = adoption.next(view, got); next.length > 0; next = adoption.next(view, got)) {
    got.push(...next.map((request) => answers[nameOf(request)] ?? ABSENT));
  }
  return adoption.appraise(view, got);
}

function nameOf(request: ReadRequest): string {
  return request.type === 'service' ? request.endpoint : request.type;
}

describe('what a person says exists', () => {
  it('is unseen where nothing can be read, and then only the person is believed', () => {
    const core = { abilities: CORE };
    expect(appraise('wallet', { ...core, given: { address: A } })).toMatchObject({ type: 'unseen' });
    expect(appraise('tag', { ...core, given: { id: '3' } })).toMatchObject({
      type: 'unseen',
      outputs: { id: 3 },
    });
    expect(appraise('audit-contract', { ...core, given: { address: A } })).toMatchObject({
      type: 'unseen',
      outputs: { address: A },
    });
    const failing = { 'certificate.list': UNREADABLE };
    expect(appraise('certificate', { given: { token: '17' } }, failing)).toMatchObject({
      type: 'unseen',
      outputs: { tokenId: '17' },
    });
  });

  it('is compared by its name where it is listed', () => {
    const tags = { 'audit.tag.list': read([{ id: 3, name: 'other' }]) };
    expect(appraise('tag', { given: { id: '3' } }, tags)).toMatchObject({ shown: { name: 'other' } });
    expect(appraise('tag', { given: { id: '4' } }, tags)).toMatchObject({ type: 'contradicted' });
    const wallet = { 'wallet.detail': read({ address: A, name: 'Alice' }) };
    const shown = (person?: string) =>
      appraise('wallet', { given: { address: A }, ...(person && { person }) }, wallet);
    expect(shown('alice ')).toMatchObject({ grade: 'B', shown: { name: '•••' } });
    expect(shown('Eve')).toMatchObject({ shown: { name: 'another name' } });
    expect(shown()).toMatchObject({ shown: {} });
    expect(appraise('wallet', { given: { address: A } })).toMatchObject({ type: 'contradicted' });
  });
});

describe('a contract that a person names', () => {
  const given = { address: B, tx: TX };
  const context = { projectSlug: 'p', versionSlug: 'v', wallet: A };
  const listed = read([{ contract_address: B.toUpperCase().replace('X', 'x'), contract_name: 'Token' }]);
  const code: ReadAnswer = { type: 'found', value: {}, source: 'chain' };
  const good = { receipt: receipt({ contractAddress: B }), code, 'instance.list': listed };

  it('is known by the chain when its own wallet made it there', () => {
    expect(appraise('contract', { given, context }, good)).toEqual({
      type: 'shown',
      grade: 'A',
      outputs: { address: B, transaction: TX },
      shown: { contract: 'Token' },
    });
  });

  const inputs = {
    contract: 'Token',
    version: 'version.p@1',
    wallet: { type: 'organisation', address: A },
    params: { owner: B, cap: '1000', tags: ['0x10', true] },
  };
  const withParams = (deployment_params: Json): Readonly<Record<string, ReadAnswer>> => ({
    ...good,
    'instance.list': read([{ contract_address: B, contract_name: 'Token', deployment_params }]),
  });

  it.each<[Json, Json | undefined]>([
    [{ owner: B.toUpperCase().replace('X', 'x'), cap: 1000, tags: ['16', true] }, inputs.params],
    [
      { owner: B, cap: '1001', tags: ['16', true] },
      { owner: B, cap: '1001', tags: ['16', true] },
    ],
    [{ owner: '{Registry_ADDRESS}', cap: '1000', tags: ['16', true] }, undefined],
    [
      { owner: '{Registry_ADDRESS}', cap: '1', tags: [] },
      { owner: '{Registry_ADDRESS}', cap: '1', tags: [] },
    ],
    [null, undefined],
  ])('is compared by its parameters as they are listed: %j', (listedParams, params) => {
    const found = appraise('contract', { given, context, inputs }, withParams(listedParams));
    expect(found).toMatchObject({ type: 'shown', shown: { wallet: inputs.wallet, version: inputs.version } });
    expect(found.type === 'shown' && found.shown['params']).toEqual(params);
  });

  it('is compared by its name, its symbol and its owner when it holds certificates', () => {
    const planned = { nickname: 'd', name: 'Diploma', symbol: 'DIP', owner: A, deployer: A, maxSupply: 0 };
    const answers = (owner: string): Readonly<Record<string, ReadAnswer>> => ({
      code,
      owner: { type: 'found', value: owner, source: 'chain' },
      'certificate.contract.list': read([
        { contract_address: B, contract_name: 'd', name: 'Other', symbol: 'DIP' },
      ]),
    });
    const view = { given: { address: B }, inputs: planned };
    expect(appraise('certificate-contract', view, answers(C))).toMatchObject({
      shown: { nickname: 'd', name: 'Other', symbol: 'DIP', owner: C },
    });
    expect(appraise('certificate-contract', view, answers(A.toUpperCase().replace('X', 'x')))).toMatchObject({
      shown: { owner: A },
    });
  });

  it.each([
    ['has no code', { code: ABSENT }],
    ['is not listed', { 'instance.list': read([]) }],
    ['was made by no such transaction', { receipt: ABSENT }],
    ['was made by a transaction that reverted', { receipt: receipt({ contractAddress: B, status: false }) }],
    ['is not what the transaction made', { receipt: receipt({ contractAddress: C }) }],
    ['was made by another wallet', { receipt: receipt({ contractAddress: B, from: C }) }],
  ] as const)('is refused when it %s', (_what, over) => {
    expect(appraise('contract', { given, context }, { ...good, ...over })).toMatchObject({
      type: 'contradicted',
    });
  });

  it('may be missing from the detail of a version, which leaves contracts without events out', () => {
    const abilities: Abilities = { ...CORE, chain: true };
    const detail = { code, 'version.detail': read({ emitted_events: [] }) };
    expect(appraise('contract', { given: { address: B }, context, abilities }, detail)).toMatchObject({
      type: 'unseen',
    });
  });
});

describe('a fact that a person names', () => {
  const context = { signer: A, contract: B, metadata: digestOfBytes('{"a":1}') };
  const entry = { transactionHash: TX, status: 'success', metadata: '{"a":1}', metadatahash: '0xh' };
  const good = { 'audit.transactions': read([entry]), receipt: receipt({ to: B }) };

  it('is taken when signer, contract and metadata are those that were sent', () => {
    expect(appraise('audit-record', { given: { tx: TX }, context }, good)).toEqual({
      type: 'shown',
      grade: 'A',
      outputs: { transaction: TX, metadatahash: '0xh' },
      shown: {},
    });
  });

  it.each([
    ['other metadata', { 'audit.transactions': read([{ ...entry, metadata: '{"a":2}' }]) }],
    ['another contract', { receipt: receipt({ to: C }) }],
    ['another signer', { receipt: receipt({ to: B, from: C }) }],
    ['no entry in the list', { 'audit.transactions': read([]) }],
    ['a transaction that reverted', { receipt: receipt({ to: B, status: false }) }],
  ] as const)('is refused with %s', (_what, over) => {
    const found = appraise('audit-record', { given: { tx: TX }, context }, { ...good, ...over });
    expect(found).toMatchObject({ type: 'contradicted' });
  });

  it('is a certificate only with the right receiver and the mark of its step', () => {
    const inputs = { contract: B, to: A };
    const minted = {
      nft_token_id: 17,
      transactionHash: TX,
      to_wallet: A,
      is_mint: 1,
      certificate: 'http://x/1',
    };
    const marked = (value: string): ReadAnswer =>
      read({ json: { name: 'Diploma', attributes: [{ trait_type: 'ref', value }] } });
    const mint = (list: JsonObject, mark: string): Appraisal =>
      appraise(
        'certificate',
        { given: { token: '17' }, inputs, context: { marker: 'k1' } },
        { 'certificate.list': read([list]), file: marked(mark), receipt: receipt() },
      );
    expect(mint(minted, 'k1')).toMatchObject({
      grade: 'A',
      outputs: { tokenId: '17', transaction: TX },
      shown: { name: 'Diploma' },
    });
    expect(mint(minted, 'k2')).toMatchObject({ type: 'contradicted' });
    expect(mint({ ...minted, to_wallet: C }, 'k1')).toMatchObject({ type: 'contradicted' });
    expect(mint({ ...minted, nft_token_id: 18 }, 'k1')).toMatchObject({ type: 'contradicted' });
  });
});
