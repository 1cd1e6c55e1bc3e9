import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { PNG } from './certificate-samples.js';
import { at, idAt, listAt, textAt } from './client.js';
import { openReleases, type Releases } from './releases.js';

// Requests as the interface and the public documentation show them, sent as they stand.

const SOURCES = {
  'ContractA.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract ContractA { event CountIncreased(uint256 _count); uint256 public count; function increment() public { count++; emit CountIncreased(count); } }
`,
  'ContractB.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import "./ContractA.sol";
contract ContractB { ContractA public contractA; constructor(address _contractA) { contractA = ContractA(_contractA); } function updateContractA(address _contractA) public { contractA = ContractA(_contractA); } }
`,
};

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

const wallet = (index: number): string => releases.platform.wallets[index] ?? '';

/** A request with a body that is no JSON. */
async function send(path: string, body: RequestInit['body'], type?: string) {
  const { client_id, client_secret } = releases.platform.apiKey!;
  const headers = { client_id, client_secret, ...(type !== undefined && { 'content-type': type }) };
  const response = await fetch(`${releases.platform.apiUrl}${path}`, {
    method: 'POST',
    headers,
    body: body ?? null,
  });
  return { status: response.status, body: (await response.json()) as Json };
}

async function trail(): Promise<string> {
  const callback_url = releases.receiver.url();
  const field = { encrypt_data: false };
  await releases.api.post('/api/audit/contracts', { name: 'Trail', field, callback_url });
  return textAt(await releases.receiver.received(callback_url), 'contract_address');
}

describe('the documented sample of a version', () => {
  it('takes the compiler as plain text, as the documentation wrote it until 2025', async () => {
    const project = await releases.project('Test Project');
    const form = new FormData();
    form.append('contract_files[]', new Blob([SOURCES['ContractA.sol']]), 'ContractA.sol');
    form.append('version', 'v1.01');
    form.append('compiler_settings[solidity]', 'v0.8.37');
    const answer = await send(`/api/contract/projects/${project}/versions`, form);
    expect(at(answer.body, 'result')).toMatchObject({
      status: 'compile_queued',
      version: 'v1.01',
      slug: '1-v101',
    });
    expect(at(answer.body, 'result.compiler_settings.solidity.version')).toBe('0.8.37');
    const version = await releases.settled(project, '1-v101');
    expect(version['compiler_settings']).toEqual({ solidity: '0.8.37' });
  });

  it('is deployed with null for no parameters and a token for the contract before, and again', async () => {
    const { ids, path } = await releases.compiled('Samples', { sources: SOURCES });
    const body = {
      wallet_options: { type: 'organisation', address: wallet(0).toLowerCase() },
      deployment_params: [
        { sc_artifact_id: ids['ContractA'] ?? 0, params: null, order: 1 },
        { sc_artifact_id: ids['ContractB'] ?? 0, params: { _contractA: '{ContractA_ADDRESS}' }, order: 2 },
      ],
    };
    const seen = new Set<string>();
    for (const time of [1, 2]) {
      const callback_url = releases.receiver.url();
      const answer = await releases.api.post(`${path}/deploy`, { ...body, callback_url });
      expect(answer.status).toBe(200);
      const callback = await releases.receiver.received(callback_url);
      for (const one of listAt(callback, 'deployed_contract_addresses'))
        seen.add(textAt(one, 'contract_address'));
      expect(seen.size).toBe(2 * time);
    }
  });

  it('shows a transaction with its numbers as numbers', async () => {
    const { ids, path } = await releases.compiled('Counted', { sources: SOURCES });
    const url = releases.receiver.url();
    await releases.api.post(`${path}/deploy`, {
      wallet_options: { type: 'organisation', address: wallet(0) },
      deployment_params: [{ sc_artifact_id: ids['ContractA'] ?? 0, params: {}, order: 1 }],
      callback_url: url,
    });
    const address = textAt(
      await releases.receiver.received(url),
      'deployed_contract_addresses.0.contract_address',
    );
    const callback_url = releases.receiver.url();
    const sent = await releases.api.post(`/api/contract/smart-contracts/${address}/execute`, {
      wallet_options: { type: 'organisation', address: wallet(0) },
      method_name: 'increment',
      params: [],
      callback_url,
    });
    const hash = textAt(sent.body, 'result.transaction_hash') as Hex;
    const callback = await releases.receiver.received(callback_url);
    const onChain = await releases.chain.getTransaction({ hash });
    const read = await releases.api.get(`/api/contract/transactions/${hash}`);
    expect(at(read.body, 'result')).toMatchObject({
      hash,
      nonce: onChain.nonce,
      blockNumber: Number(onChain.blockNumber),
      transactionIndex: 0,
      from: wallet(0),
      to: address,
      value: '0',
      gasPrice: '0',
      input: onChain.input,
      type: 0,
    });
    const receipt = await releases.api.get(`/api/contract/transactions/${hash}/receipt`);
    expect(at(receipt.body, 'result')).toMatchObject({
      status: true,
      gasUsed: at(callback, 'receipt.gasUsed') as Json,
    });
    expect(at(callback, 'receipt.logs.0')).toMatchObject({
      blockNumber: Number(onChain.blockNumber),
      logIndex: 0,
    });
  });
});

describe('the documented sample of an audit record', () => {
  it('with an object as metadata and lists of labels is recorded as JSON text', async () => {
    const contract_address = await trail();
    const category = idAt(
      (await releases.api.post('/api/audit/category', { name: 'test' })).body,
      'result.id',
    );
    const tag = idAt((await releases.api.post('/api/audit/tag', { name: 'test' })).body, 'result.id');
    const metadata = { name: 'xxxxxxxx', data: 'yyyyyyyy', entity_id: 'zzzzzzzzz', content: 'wwwwwwwwwwww' };
    const answer = await releases.api.post('/api/audit/audit', {
      category_id: [Number(category)],
      tag_id: [Number(tag)],
      contract_address,
      metadata,
      wallet_address: wallet(0),
      file: 'file',
      callback_url: releases.receiver.url(),
    });
    expect(at(answer.body, 'result.metadata')).toBe(JSON.stringify(metadata));
    expect(textAt(answer.body, 'result.metadatahash')).toMatch(/^\$2y\$/);
    const hash = textAt(answer.body, 'result.transactionHash');
    const detail = await releases.api.get(`/api/audit/audit/${hash}`);
    expect(at(detail.body, 'result')).toMatchObject({ transactionhashId: hash, transactionHash: hash });
    expect(
      at((await releases.api.get('/api/audit/audit', { category: '', tag: '' })).body, 'result.0'),
    ).toBeDefined();
  });

  it('is taken as a form too, multipart or URL-encoded, with repeated metadata as a list', async () => {
    const contract_address = await trail();
    const fields: readonly (readonly [string, string])[] = [
      ['wallet_address', wallet(0)],
      ['contract_address', contract_address],
      ['metadata[]', 'one'],
      ['metadata[]', 'two'],
    ];
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    const encoded = new URLSearchParams(
      fields.map(([name, value]): [string, string] => [name, value]),
    ).toString();
    for (const answer of [
      await send('/api/audit/audit', form),
      await send('/api/audit/audit', encoded, 'application/x-www-form-urlencoded'),
    ]) {
      expect([answer.status, at(answer.body, 'result.metadata')]).toEqual([200, '["one","two"]']);
    }
  });
});

describe('the documented sample of a certificate', () => {
  it('keeps a malformed attribute as it came, moves by an id that is text, and is found with empty parameters', async () => {
    const url = releases.receiver.url();
    await releases.api.post('/api/certificate/create-smartcontract', {
      wallet_address: wallet(0),
      name: 'NFT2',
      field: { wallet_address_owner: wallet(0), max_supply: 1000, name: 'MasChain', symbol: 'MT' },
      callback_url: url,
    });
    const contract_address = textAt(await releases.receiver.received(url), 'result.contract_address');
    const callback_url = releases.receiver.url();
    const attributes = '[{"trait":"New Cert","value":"10001"},{"Student":"yes","value":"Chan"}]';
    const form = {
      wallet_address: wallet(0),
      to: wallet(1),
      contract_address,
      name: 'NFT CERT',
      description: 'NFT CERT',
    };
    const minted = await releases.api.form(
      '/api/certificate/mint-certificate',
      { ...form, attributes, callback_url },
      { filename: 'example_image.png', bytes: PNG },
    );
    const document = (await (await fetch(textAt(minted.body, 'result.certificate'))).json()) as Json;
    expect(at(document, 'attributes.1')).toEqual({ Student: 'yes', value: 'Chan' });
    await releases.receiver.received(callback_url);
    const move = { wallet_address: wallet(1), to: wallet(2), contract_address, nft_id: '1' };
    const moved = await releases.api.post('/api/certificate/transfer', move);
    expect(at(moved.body, 'result')).toMatchObject({ nft_token_id: 1, status: 'pending' });
    const empty = { from: '', to: '', contract_address, transaction_id: '', status: '' };
    const found = await releases.api.get('/api/certificate/get-certificate', empty);
    expect(listAt(found.body, 'result')[0]).toMatchObject({
      is_mint: 1,
      token: { symbol: 'MT', logo: null },
    });
  });
});

describe('requests as careless clients send them', () => {
  it('reach the same place with a slash at the end, and with JSON’s type but no body', async () => {
    const { client_id, client_secret } = releases.platform.apiKey!;
    const headers = { client_id, client_secret, 'content-type': 'application/json' };
    const { apiUrl } = releases.platform;
    expect((await fetch(`${apiUrl}/api/audit/audit/`, { headers })).status).toBe(200);
    const made = idAt((await releases.api.post('/api/audit/tag', { name: 'x' })).body, 'result.id');
    const path = `${apiUrl}/api/audit/tag/${made}/deactivate`;
    expect((await fetch(path, { method: 'PUT', headers })).status).toBe(200);
    const empty = await fetch(`${apiUrl}/api/audit/tag`, { method: 'POST', headers });
    expect(empty.status).toBe(422);
  });
});
