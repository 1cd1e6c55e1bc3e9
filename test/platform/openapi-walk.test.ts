import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { encodeDeployData, encodeFunctionData, type Abi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { Exchange } from '../../src/platform/server/exchanges.js';
import { component, OPERATIONS, answerOf, bodyOf, faultsOf, sentBody } from '../support/openapi.js';
import {
  callbacksOf,
  componentFields,
  labelsIn,
  operationFields,
  reachable,
} from '../support/openapi-fields.js';
import { PNG } from './certificate-samples.js';
import { at, idAt, textAt, type Answer } from './client.js';
import { openReleases, type Releases } from './releases.js';

const OUTSIDER = privateKeyToAccount(`0x${'5c'.repeat(32)}`);

const SOURCES = {
  'Box.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Box {
  struct Pair { uint8 small; string text; }
  event Put(uint256 indexed value, string note);
  event Quiet(uint256 value) anonymous;
  error Empty(uint256 value);
  uint256 public value; Pair public pair;
  constructor(uint256 _value, Pair memory _pair) { value = _value; pair = _pair; emit Put(_value, _pair.text); emit Quiet(1); }
  function put(uint256 to) external { if (to == 0) revert Empty(to); value = to; emit Put(to, "again"); }
}
`,
};

const exchanges: Exchange[] = [];
const note = (exchange: unknown): void => {
  exchanges.push(exchange as Exchange);
};

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
  subscribe('windlass.platform.exchange', note);
});
afterAll(async () => {
  unsubscribe('windlass.platform.exchange', note);
  await releases.close();
});

const callbacks: { readonly operation: string; readonly body: JsonObject }[] = [];
const wallet = (index: number): string => releases.platform.wallets[index] ?? '';

function done(answer: Answer): Json {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return at(answer.body, 'result') ?? null;
}

async function settledWith(operation: string, send: (callback_url: string) => Promise<Answer>) {
  const url = releases.receiver.url();
  const result = done(await send(url));
  const body = await releases.receiver.received(url);
  callbacks.push({ operation, body });
  return { result, body };
}

async function walkContracts(): Promise<{ readonly box: Hex; readonly abi: Abi; readonly bytecode: Hex }> {
  const { api } = releases;
  for (let made = 0; made < 11; made += 1) {
    done(await api.post('/api/contract/projects', { project_name: 'Filler', description: 'to fill a page' }));
  }
  const { project, slug, path, ids, artifacts } = await releases.compiled('Boxes', { sources: SOURCES });
  done(
    await api.put(`/api/contract/projects/${project}`, { project_name: 'Crates', description: 'for boxes' }),
  );
  const versions = `/api/contract/projects/${project}/versions`;
  const old = {
    version: '0.9',
    'compiler_settings[solidity]': 'v0.8.37',
    'packages[]': '@openzeppelin/contracts@5.0.2',
  };
  const file = { field: 'contract_files[]', filename: 'Box.sol', bytes: Buffer.from(SOURCES['Box.sol']) };
  const second = textAt(done(await api.form(versions, old, file)), 'slug');
  await releases.settled(project, second);
  done(await api.form(`${versions}/${second}`, { ...old, 'packages[]': '' }, file));
  await releases.settled(project, second);

  const abi = artifacts[0]?.['contract_abi'] as unknown as Abi;
  const bytecode = textAt(artifacts[0]!, 'bytecode') as Hex;
  const pair = { small: 7, text: 'seven' };
  const sc_artifact_id = ids['Box'] ?? 0;
  const { body } = await settledWith('version.deploy', (callback_url) =>
    api.post(`${path}/deploy`, {
      wallet_options: { type: 'organisation', address: wallet(0) },
      deployment_params: [{ sc_artifact_id, params: { _value: '5', _pair: pair }, order: 1 }],
      callback_url,
    }),
  );
  const signed_trx = await OUTSIDER.signTransaction({
    chainId: releases.platform.chainId,
    nonce: 0,
    data: encodeDeployData({ abi, bytecode, args: [5n, pair] }),
    gas: 3_000_000n,
    gasPrice: 0n,
    type: 'legacy',
  });
  await settledWith('version.deploy', (callback_url) =>
    api.post(`${path}/deploy`, {
      wallet_options: { type: 'non_custodial', address: OUTSIDER.address },
      deployment_params: [{ sc_artifact_id, signed_trx, order: 1 }],
      callback_url,
    }),
  );
  for (const query of [{ page: '1' }, { page: '2' }]) done(await api.get('/api/contract/projects', query));
  const created = textAt(body, 'deployed_contract_addresses.0.receipt.transactionHash');
  done(await api.get(`/api/contract/transactions/${created}/receipt`));
  done(await api.get(`/api/contract/projects/${project}`));
  done(await api.get(versions, { page: '1' }));
  await releases.detail(project, slug);
  const deployment = textAt(body, 'deployment_id');
  const filters = { 'filter-version': slug, 'filter-deployment_id': deployment, page: '1' };
  done(await api.get('/api/contract/smart-contracts', filters));
  return { box: textAt(body, 'deployed_contract_addresses.0.contract_address') as Hex, abi, bytecode };
}

async function walkMethods(of: {
  readonly box: Hex;
  readonly abi: Abi;
  readonly bytecode: Hex;
}): Promise<void> {
  const { api } = releases;
  const { box, abi, bytecode } = of;
  const place = `/api/contract/smart-contracts/${box}`;
  const json = abi as unknown as Json;
  done(await api.get(place));
  done(
    await api.post(`${place}/call`, {
      from: wallet(0),
      method_name: 'value',
      contract_abi: json,
      params: {},
    }),
  );
  const { result } = await settledWith('instance.execute', (callback_url) =>
    api.post(`${place}/execute`, {
      wallet_options: { type: 'organisation', address: wallet(0) },
      method_name: 'put',
      contract_abi: json,
      params: { to: 9 },
      callback_url,
    }),
  );
  const data = encodeFunctionData({ abi, functionName: 'put', args: [0n] });
  const about = { chainId: releases.platform.chainId, nonce: 1, to: box, gas: 500_000n, gasPrice: 0n };
  const signed_trx = await OUTSIDER.signTransaction({ ...about, data, type: 'legacy' });
  await settledWith('instance.execute', (callback_url) =>
    api.post(`${place}/execute`, {
      wallet_options: { type: 'non_custodial', address: OUTSIDER.address },
      method_name: 'put',
      signed_trx,
      callback_url,
    }),
  );
  const hash = textAt(result, 'transaction_hash');
  done(await api.get(`/api/contract/transactions/${hash}`));
  done(await api.get(`/api/contract/transactions/${hash}/receipt`));
  done(await api.get(`/api/contract/accounts/${wallet(0)}/nonce`));
  for (const name of ['chain-id', 'gas-price', 'compiler-versions'])
    done(await api.get(`/api/contract/utils/${name}`));
  const draft = {
    from: wallet(0),
    to: box,
    value: '0',
    data: encodeFunctionData({ abi, functionName: 'put', args: [1n] }),
    nonce: 100,
  };
  done(await api.post('/api/contract/utils/estimate-gas', draft));
  done(await api.post('/api/contract/utils/simulate-transaction', draft));
  const params = { _value: 1, _pair: [1, 'one'] };
  done(await api.post('/api/contract/utils/deploy-encode', { abi: json, bytecode, params }));
  const call = { abi: json, contract_address: box, method_name: 'put', params: { to: 1 } };
  done(await api.post('/api/contract/utils/execute-encode', call));
}

async function walkAudit(): Promise<void> {
  const { api } = releases;
  const { body } = await settledWith('audit.contract.create', (callback_url) =>
    api.post('/api/audit/contracts', { name: 'Trail', field: { encrypt_data: false }, callback_url }),
  );
  const contract_address = textAt(body, 'contract_address');
  done(await api.get('/api/audit/contracts'));
  done(await api.get(`/api/audit/contracts/${contract_address}`));
  const ids: Record<string, number> = {};
  for (const kind of ['category', 'tag']) {
    const path = `/api/audit/${kind}`;
    const id = idAt(done(await api.post(path, { name: 'one' })), 'id');
    ids[`${kind}_id`] = Number(id);
    done(await api.put(`${path}/${id}`, { name: 'two' }));
    done(await api.put(`${path}/${id}/deactivate`));
    done(await api.put(`${path}/${id}/activate`));
    done(await api.get(`${path}/${id}`));
    done(await api.get(path));
    const gone = idAt(done(await api.post(path, { name: 'gone' })), 'id');
    done(await api.remove(`${path}/${gone}`));
  }
  const labels = { category_id: [ids['category_id'] ?? 0], tag_id: [ids['tag_id'] ?? 0] };
  const { result } = await settledWith('audit.record.create', (callback_url) =>
    api.post('/api/audit/audit', {
      wallet_address: wallet(0),
      contract_address,
      metadata: '{"release":"1.0.0"}',
      ...labels,
      callback_url,
    }),
  );
  const detail = done(await api.get(`/api/audit/audit/${textAt(result, 'transactionHash')}`));
  done(await api.put(`/api/audit/audit/${idAt(detail, 'id')}`, labels));
  done(
    await api.get('/api/audit/audit', { category: String(ids['category_id']), tag: String(ids['tag_id']) }),
  );
  const filters = {
    wallet_address: wallet(0),
    contract_address,
    filter: 'from',
    status: 'success',
    page: '1',
  };
  done(await api.get('/api/audit/get-audit-transaction', filters));
}

async function walkWallets(): Promise<void> {
  const { api } = releases;
  const person = { name: 'Alice Tan', email: 'alice@example.com', ic: '900101-01-1234', phone: '+60 12 345' };
  const links = { entity_id: 3, entity_category_id: 4 };
  done(await api.post('/api/wallet/create-user', { ...person, wallet_name: 'alice', ...links }));
  const made = done(await api.post('/api/wallet/wallet', { name: 'Office', entity_id: 3 }));
  const path = `/api/wallet/wallet/${textAt(made, 'address')}`;
  done(await api.put(path, { name: 'Registrar', entity_id: 5 }));
  done(await api.put(`${path}/deactivate`));
  done(await api.put(`${path}/activate`));
  done(await api.get(path));
  done(await api.get('/api/wallet/wallet', { type: '1', page: '1' }));
}

async function walkCertificates(box: string): Promise<void> {
  const { api } = releases;
  const { body } = await settledWith('certificate.contract.create', (callback_url) =>
    api.post('/api/certificate/create-smartcontract', {
      wallet_address: wallet(0),
      name: 'diplomas',
      field: { wallet_address_owner: wallet(1), max_supply: 0, name: 'Campus Diploma', symbol: 'DIP' },
      image: `data:image/png;base64,${PNG.toString('base64')}`,
      callback_url,
    }),
  );
  const contract_address = textAt(body, 'result.contract_address');
  done(await api.get('/api/certificate/get-smart-contract', { page: '1' }));
  done(await api.get(`/api/certificate/get-smart-contract/${contract_address}`));
  const form = {
    wallet_address: wallet(1),
    to: wallet(2),
    contract_address,
    name: 'Diploma',
    description: 'Chemistry',
    attributes: '[{"trait":"Programme","value":"Chemistry"}]',
  };
  const file = { filename: 'diploma.png', bytes: PNG };
  for (const suffix of ['', '-small', '-medium', '-large']) {
    const path = `/api/certificate/mint-certificate${suffix}`;
    // The last one goes to a contract that cannot hold it.
    const to = suffix === '-large' ? box : wallet(2);
    await settledWith(`certificate.mint${suffix}`, (callback_url) =>
      api.form(path, { ...form, to, callback_url }, file),
    );
  }
  const { result } = await settledWith('certificate.transfer', (callback_url) =>
    api.post('/api/certificate/transfer', {
      wallet_address: wallet(2),
      to: wallet(3),
      nft_id: '1',
      contract_address,
      callback_url,
    }),
  );
  const hash = textAt(result, 'transactionHash');
  const parties = { from: wallet(2), to: wallet(3), contract_address };
  const query = { ...parties, tx_id: hash, transaction_id: hash, status: 'success', page: '1' };
  expect(done(await api.get('/api/certificate/get-certificate', query))).toHaveLength(1);
  const filters = {
    wallet_address: wallet(2),
    contract_address,
    filter: 'to|from',
    status: 'success',
    page: '1',
  };
  done(await api.get('/api/certificate/get-certificate-transaction', filters));
  await settledWith('certificate.owner-transfer', (callback_url) =>
    api.post('/api/certificate/owner-transfer', {
      wallet_address: wallet(1),
      to: wallet(4),
      contract_address,
      callback_url,
    }),
  );
}

it('every documented operation succeeds, and every documented field is sent or seen', async () => {
  const contracts = await walkContracts();
  await walkMethods(contracts);
  await walkAudit();
  await walkWallets();
  await walkCertificates(contracts.box);

  const good = exchanges.filter(({ status }) => status === 200);
  const succeeded = new Set(good.map(({ endpoint }) => endpoint as string));
  expect(OPERATIONS.map(({ id }) => id).filter((id) => !succeeded.has(id))).toEqual([]);

  const seen = new Set<string>();
  for (const exchange of good) {
    const operation = OPERATIONS.find(({ id }) => id === exchange.endpoint)!;
    for (const name of Object.keys(exchange.query)) seen.add(`${operation.id}?${name}`);
    const answer = answerOf(operation, 200) ?? {};
    for (const label of labelsIn(answer, exchange.body, `${operation.id}:`)) seen.add(label);
    const body = bodyOf(operation);
    const sent = body && sentBody(exchange, body.type === 'multipart/form-data');
    for (const label of body ? labelsIn(body.schema, sent, operation.id) : []) seen.add(label);
  }
  for (const { operation, body } of callbacks) {
    const schemas = callbacksOf(OPERATIONS.find(({ id }) => id === operation)!);
    const fitting = schemas.filter((schema) => faultsOf(schema, body, true).length === 0);
    expect([operation, body, fitting.length]).toEqual([operation, body, 1]);
    for (const label of labelsIn(fitting[0]!, body, operation)) seen.add(label);
  }
  const { sent, said } = reachable();
  const fields = [...componentFields(), ...OPERATIONS.flatMap(operationFields)];
  const silent = fields.filter(({ label, unseen }) => {
    const [, parameter] = label.split('?');
    const isPath = parameter !== undefined && Object.keys(PATH_PARAMETERS).includes(parameter);
    const isUsed = parameter !== undefined || sent.has(label) || said.has(label);
    return unseen === undefined && !isPath && isUsed && !seen.has(label);
  });
  expect(silent.map(({ label }) => label)).toEqual([]);
  const unreachable = fields.filter(
    ({ label }) =>
      !label.includes('?') && !label.startsWith('Error.') && !sent.has(label) && !said.has(label),
  );
  expect(unreachable.map(({ label }) => label)).toEqual([]);
  expect(component('Error')).toBeDefined();
}, 240_000);

/** Every request has them. */
const PATH_PARAMETERS = { projectSlug: 1, versionSlug: 1, address: 1, hash: 1, id: 1 };
