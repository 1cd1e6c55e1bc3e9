import { createHash } from 'node:crypto';
import { verify } from '@node-rs/bcrypt';
import { getContract, parseEventLogs, type Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { AUDIT_TRAIL } from '../../src/platform/contracts/audit-trail.artifact.js';
import type { AuditWrite } from '../../src/protocol/shapes.js';
import { at, idAt, listAt, textAt, wrongFields } from './client.js';
import { openService, type Service } from './service.js';

let service: Service;
let trail: string;

beforeAll(async () => {
  service = await openService();
  trail = await createTrail({ encrypt_data: false });
});

afterAll(() => service.close());

async function createTrail(field: JsonObject): Promise<string> {
  const callback_url = service.receiver.url();
  const answer = await service.api.post('/api/audit/contracts', { name: 'releases', field, callback_url });
  expect(answer).toEqual({
    status: 200,
    body: { status: 200, result: { status: 'pending', message: 'Contract creation in progress' } },
  });
  const body = await service.receiver.received(callback_url);
  return textAt(body, 'contract_address');
}

async function write(
  fields: JsonObject,
  contract = trail,
): Promise<AuditWrite & { readonly callback: JsonObject }> {
  const callback_url = service.receiver.url();
  const answer = await service.api.post('/api/audit/audit', record({ callback_url, ...fields }, contract));
  expect(answer.status).toBe(200);
  const callback = await service.receiver.received(callback_url);
  return { ...(at(answer.body, 'result') as unknown as AuditWrite), callback };
}

function record(fields: JsonObject, contract = trail): JsonObject {
  return { wallet_address: service.wallet(0), contract_address: contract, metadata: 'm', ...fields };
}

const sha256 = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;

describe('an audit contract', () => {
  it('is confirmed by a callback with its address at the top level, and stands on the chain', async () => {
    const callback_url = service.receiver.url();
    const name = 'Campus releases';
    await service.api.post('/api/audit/contracts', { name, field: { encrypt_data: true }, callback_url });
    const body = await service.receiver.received(callback_url);
    const address = textAt(body, 'contract_address') as Address;
    expect(body).toMatchObject({ status: 'success', receipt: { status: true } });
    expect(textAt(body, 'receipt.contractAddress').toLowerCase()).toBe(address.toLowerCase());
    const contract = getContract({ address, abi: AUDIT_TRAIL.abi, client: service.chain });
    expect([await contract.read.name(), await contract.read.encrypted()]).toEqual([name, true]);
  });

  it('is listed and found by address in any case, by its own organisation only', async () => {
    const listed = await service.api.get('/api/audit/contracts');
    const entry = listAt(listed.body, 'result').find((item) => item['contract_address'] === trail);
    expect(entry).toMatchObject({ contract_name: 'releases', logo_path: null });
    const path = `/api/audit/contracts/${trail.toLowerCase()}`;
    expect(at((await service.api.get(path)).body, 'result')).toEqual(entry);
    const absent = await service.other.get(`/api/audit/contracts/${service.wallet(5)}`);
    expect(await service.other.get(path)).toEqual(absent);
    expect(absent.status).toBe(404);
    expect(at((await service.other.get('/api/audit/contracts')).body, 'result')).toEqual([]);
  });

  it('needs a name and a callback address on this machine', async () => {
    const callback_url = 'http://example.com/hook';
    const answer = await service.api.post('/api/audit/contracts', {
      field: { encrypt_data: 'x' },
      callback_url,
    });
    expect(wrongFields(answer)).toEqual(['name', 'field.encrypt_data', 'callback_url']);
  });
});

describe('an audit record', () => {
  it('answers pending with nonce, hash and metadata, and is confirmed at the top level', async () => {
    const metadata = '{"release":"1.0.0"}';
    const { callback, ...result } = await write({ metadata });
    expect(result).toMatchObject({ status: 'pending', metadata, from: service.wallet(0) });
    expect(result.nonce).toBeTypeOf('number');
    const { transactionHash, nonce, metadatahash } = result;
    expect(callback).toMatchObject({
      status: 'success',
      from: service.wallet(0),
      nonce,
      transactionHash,
      receipt: { status: true, transactionHash },
    });
    expect(metadatahash).toMatch(/^\$2y\$/);
    expect(await verify(metadata, metadatahash)).toBe(true);
    expect(await verify(`${metadata} `, metadatahash)).toBe(false);
  });

  it('puts its author, digest and metadata on the chain of a public contract', async () => {
    const { transactionHash } = await write({ metadata: 'published', wallet_address: service.wallet(1) });
    expect(await recorded(transactionHash)).toMatchObject({
      author: service.wallet(1),
      digest: sha256('published'),
      metadata: 'published',
    });
  });

  it('puts only its digest on the chain of an encrypted contract', async () => {
    const encrypted = await createTrail({ encrypt_data: true });
    const { transactionHash } = await write({ metadata: 'kept back' }, encrypted);
    expect(await recorded(transactionHash)).toMatchObject({ digest: sha256('kept back'), metadata: '' });
    const hash = transactionHash as `0x${string}`;
    const { input } = await service.chain.getTransaction({ hash });
    expect(Buffer.from(input.slice(2), 'hex').includes('kept back')).toBe(false);
  });

  it('takes an object as metadata and keeps its JSON', async () => {
    expect(await write({ metadata: { release: 'é', n: 1 } })).toMatchObject({
      metadata: '{"release":"é","n":1}',
    });
  });

  it('is found by its id and by its transaction hash, with its labels', async () => {
    const category = await label('category', 'release');
    const tag = await label('tag', 'v1');
    const { transactionHash, metadatahash } = await write({
      metadata: 'labelled',
      category_id: [at(category, 'id') ?? 0],
      tag_id: [at(tag, 'id') ?? 0],
    });
    const byHash = await service.api.get(`/api/audit/audit/${transactionHash}`);
    expect(at(byHash.body, 'result')).toMatchObject({
      metadata: 'labelled',
      metadatahash,
      transactionHash,
      transactionhashId: transactionHash,
      status: 'success',
      categories: [category],
      tags: [tag],
    });
    const id = idAt(byHash.body, 'result.id');
    expect(await service.api.get(`/api/audit/audit/${id}`)).toEqual(byHash);
    const listed = await service.api.get('/api/audit/audit', { tag: idAt(tag, 'id') });
    expect(listAt(listed.body, 'result').map((item) => item['transactionHash'])).toEqual([transactionHash]);
    // A block's time is in whole seconds, and the request was later in that second.
    expect(textAt(byHash.body, 'result.updated_at') >= textAt(byHash.body, 'result.created_at')).toBe(true);
    const absent = await service.other.get('/api/audit/audit/999999');
    expect(absent.status).toBe(404);
    expect(await service.other.get(`/api/audit/audit/${id}`)).toEqual(absent);
    expect(await service.other.get(`/api/audit/audit/${transactionHash}`)).toEqual(absent);
  });

  it('is listed by author, contract and status', async () => {
    const own = await createTrail({ encrypt_data: false });
    const first = await write({ metadata: 'a', wallet_address: service.wallet(2) }, own);
    const second = await write({ metadata: 'b', wallet_address: service.wallet(3) }, own);
    const hashes = async (query: Record<string, string>) =>
      listAt(
        (await service.api.get('/api/audit/get-audit-transaction', { contract_address: own, ...query })).body,
        'result',
      ).map((item) => item['transactionHash']);
    expect(await hashes({})).toEqual([first.transactionHash, second.transactionHash]);
    expect(await hashes({ wallet_address: service.wallet(3), filter: 'from' })).toEqual([
      second.transactionHash,
    ]);
    expect(await hashes({ wallet_address: service.wallet(3), filter: 'to' })).toEqual([]);
    expect(await hashes({ status: 'success' })).toHaveLength(2);
    expect(await hashes({ status: 'fail' })).toEqual([]);
  });

  it('shows the documented members in the list, with paging', async () => {
    const { transactionHash, metadatahash } = await write({
      metadata: 'shown',
      wallet_address: service.wallet(4),
    });
    const query = {
      wallet_address: service.wallet(4),
      contract_address: trail,
      filter: 'from',
      status: 'success',
    };
    const { body } = await service.api.get('/api/audit/get-audit-transaction', query);
    expect(listAt(body, 'result')).toEqual([
      {
        id: expect.any(Number) as number,
        to: null,
        from: service.wallet(4),
        status: 'success',
        blockNumber: expect.any(Number) as number,
        transactionHash,
        method: 'mint',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
        metadata: 'shown',
        metadatahash,
      },
    ]);
    expect(at(body, 'pagination')).toMatchObject({ current_page: 1, last_page: 1, total: 1 });
  });

  it('may be written without a callback address', async () => {
    const answer = await service.api.post('/api/audit/audit', record({ metadata: 'read back' }));
    expect(at(answer.body, 'result.status')).toBe('pending');
  });

  it.each([
    ['metadata with a NUL', { metadata: 'a\0b' }, ['metadata']],
    ['metadata with broken Unicode', { metadata: '\ud800' }, ['metadata']],
    ['no metadata', { metadata: '' }, ['metadata']],
    ['64 KB of metadata and more', { metadata: 'x'.repeat(65_536) }, ['metadata']],
    ['a wallet that is not ours', { wallet_address: `0x${'ab'.repeat(20)}` }, ['wallet_address']],
    ['an address with a broken checksum', { contract_address: `0x${'aB'.repeat(20)}` }, ['contract_address']],
    ['an unknown contract', { contract_address: `0x${'12'.repeat(20)}` }, ['contract_address']],
    ['unknown labels', { category_id: [12_345], tag_id: ['x'] }, ['category_id.0', 'tag_id.0']],
  ])('is refused with %s', async (_, fields, wrong) => {
    expect(wrongFields(await service.api.post('/api/audit/audit', record(fields)))).toEqual(wrong);
  });

  it('is refused on the contract and with the wallet of another organisation', async () => {
    const answer = await service.other.post('/api/audit/audit', record({}));
    expect(wrongFields(answer)).toEqual(['wallet_address', 'contract_address']);
  });

  it('is refused with the wallet that deployed the contract, which is nobody’s to sign with', async () => {
    const { transactionHash } =
      listAt((await service.api.get('/api/audit/contracts')).body, 'result')[0] ?? {};
    const hash = transactionHash as `0x${string}`;
    const { from } = await service.chain.getTransaction({ hash });
    const answer = await service.api.post('/api/audit/audit', record({ wallet_address: from }));
    expect(wrongFields(answer)).toEqual(['wallet_address']);
    expect((await service.api.get(`/api/wallet/wallet/${from}`)).status).toBe(404);
  });

  it('gets one nonce each when many are written at once', async () => {
    const writes = await Promise.all(
      Array.from({ length: 12 }, (_, n) => write({ metadata: String(n), wallet_address: service.wallet(9) })),
    );
    const nonces = writes.map((result) => result.nonce).toSorted((a, b) => a - b);
    expect(nonces).toEqual(nonces.map((_, index) => (nonces[0] ?? 0) + index));
    expect(new Set(writes.map((result) => at(result.callback, 'status')))).toEqual(new Set(['success']));
  });
});

describe('labels', () => {
  it('are not unique: the same name twice makes two', async () => {
    const [first, second] = [await label('tag', 'twice'), await label('tag', 'twice')];
    expect(at(first, 'id')).not.toBe(at(second, 'id'));
    const listed = listAt((await service.api.get('/api/audit/tag')).body, 'result');
    expect(listed.filter((item) => item['name'] === 'twice')).toHaveLength(2);
    expect(at((await service.other.get('/api/audit/tag')).body, 'result')).toEqual([]);
  });

  it('need a name', async () => {
    expect(wrongFields(await service.api.post('/api/audit/category', {}))).toEqual(['name']);
  });
});

async function label(kind: 'category' | 'tag', name: string): Promise<JsonObject> {
  const { body } = await service.api.post(`/api/audit/${kind}`, { name });
  return { id: at(body, 'result.id') ?? null, name: textAt(body, 'result.name') };
}

async function recorded(transactionHash: string) {
  const hash = transactionHash as `0x${string}`;
  const { logs } = await service.chain.getTransactionReceipt({ hash });
  const [event] = parseEventLogs({ abi: AUDIT_TRAIL.abi, eventName: 'Recorded', logs });
  return event?.args;
}
