import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeDeployData, getContractAddress, toEventSelector, type Abi, type Hex } from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import type { Json, JsonObject } from '../../src/model/json.js';
import { at, listAt, textAt, wrongFields } from './client.js';
import { CHAIN_OF_THREE, openReleases, type Releases } from './releases.js';

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

const OUTSIDER = privateKeyToAccount(`0x${'5a'.repeat(32)}`);

function organisation(index = 0): JsonObject {
  return { type: 'organisation', address: releases.platform.wallets[index] ?? '' };
}

async function release(name: string) {
  const version = await releases.compiled(name, { sources: CHAIN_OF_THREE });
  const deploy = (deployment_params: Json, wallet_options: Json = organisation(), callback_url?: string) =>
    releases.api.post(`${version.path}/deploy`, {
      wallet_options,
      deployment_params,
      ...(callback_url !== undefined && { callback_url }),
    });
  return { ...version, deploy };
}

const chain = (ids: Readonly<Record<string, number>>, cap = '5'): Json => [
  { sc_artifact_id: ids['Shop'] ?? 0, params: { _token: '{Token_ADDRESS}' }, order: 30 },
  { sc_artifact_id: ids['Registry'] ?? 0, params: null, order: 10 },
  { sc_artifact_id: ids['Token'] ?? 0, params: { _registry: '{Registry_ADDRESS}', _cap: cap }, order: 20 },
];

describe('a deployment', () => {
  it('deploys in order, each contract with the address of the one before it', async () => {
    const { deploy, ids, artifacts, path } = await release('Three deep');
    const cap = 2n ** 256n - 1n;
    const url = releases.receiver.url();
    const answer = await deploy(chain(ids, cap.toString()), organisation(), url);
    expect(answer.status).toBe(200);
    expect(at(answer.body, 'result')).toMatchObject({
      status: 'pending',
      latest_error: null,
      deployed_at: null,
    });
    const id = textAt(answer.body, 'result.deployment_id');
    expect(id).toMatch(/^three-deep_1-100_\d{10}$/);
    const callback = await releases.receiver.received(url);
    expect(callback).toMatchObject({ status: 'Completed', message: 'Success', deployment_id: id });
    const deployed = listAt(callback, 'deployed_contract_addresses');
    expect(deployed.map((one) => one['sc_artifact_id'])).toEqual([
      ids['Registry'],
      ids['Token'],
      ids['Shop'],
    ]);
    const [registry, token, shop] = deployed.map((one) => one['contract_address'] as Hex);
    const read = (address: Hex, functionName: string, name: string) => {
      const abi = artifacts.find((one) => one['contract_name'] === name)?.['contract_abi'] as unknown as Abi;
      return releases.chain.readContract({ address, abi, functionName });
    };
    expect(await read(token!, 'registry', 'Token')).toBe(registry);
    expect(await read(token!, 'cap', 'Token')).toBe(cap);
    expect(await read(shop!, 'token', 'Shop')).toBe(token);
    const receipt = at(deployed[1]!, 'receipt');
    expect(receipt).toMatchObject({ to: null, status: true, contractAddress: token, transactionIndex: 1 });
    const block = [0, 1, 2].map((index) => at(deployed[index]!, 'receipt.blockNumber'));
    expect(new Set(block).size).toBe(1);
    const detail = await releases.api.get(path);
    expect(at(detail.body, 'result.status')).toBe('deployed');
    const events = listAt(detail.body, 'result.emitted_events');
    expect(events.map((one) => one['contract_name'])).toEqual(['Registry', 'Token', 'Shop']);
    expect(at(events[1]!, 'events.0.signature')).toBe(toEventSelector('Opened(uint256,string)'));
    const listed = await releases.api.get('/api/contract/smart-contracts', { 'filter-deployment_id': id });
    expect(listAt(listed.body, 'result').map((one) => one['contract_address'])).toEqual([
      shop,
      token,
      registry,
    ]);
    expect(releases.receiver.count(url)).toBe(1);
  });

  it('that fails half-way keeps what stands, sends nothing behind the failure, and says why', async () => {
    const { deploy, ids } = await release('Half way');
    const url = releases.receiver.url();
    const before = await releases.chain.getTransactionCount({ address: organisation()['address'] as Hex });
    await deploy(chain(ids, '0'), organisation(), url);
    const callback = await releases.receiver.received(url);
    expect(callback['status']).toBe('Error');
    expect(callback['message']).toContain('cap is zero');
    const deployed = listAt(callback, 'deployed_contract_addresses');
    expect(deployed.map((one) => one['sc_artifact_id'])).toEqual([ids['Registry']]);
    const again = releases.receiver.url();
    await deploy([{ sc_artifact_id: ids['Registry'] ?? 0, params: null, order: 1 }], organisation(), again);
    const next = await releases.receiver.received(again);
    expect(at(next, 'deployed_contract_addresses.0.contract_address')).toBe(
      getContractAddress({ from: organisation()['address'] as Hex, nonce: BigInt(before + 3) }),
    );
  });

  it('may name a contract that stands from an earlier deployment of the version', async () => {
    const { deploy, ids } = await release('Later');
    const first = releases.receiver.url();
    await deploy([{ sc_artifact_id: ids['Registry'] ?? 0, params: null, order: 1 }], organisation(1), first);
    const registry = at(
      await releases.receiver.received(first),
      'deployed_contract_addresses.0.contract_address',
    );
    const second = releases.receiver.url();
    const params = { _registry: '{Registry_ADDRESS}', _cap: 3 };
    await deploy([{ sc_artifact_id: ids['Token'] ?? 0, params, order: 1 }], organisation(1), second);
    const callback = await releases.receiver.received(second);
    expect(callback['status']).toBe('Completed');
    expect(registry).toMatch(/^0x/);
  });

  it('is refused with every mistake before anything is sent', async () => {
    const { deploy, ids } = await release('Refused');
    const height = await releases.chain.getBlockNumber();
    const answer = await deploy(
      [
        { sc_artifact_id: ids['Token'] ?? 0, params: { _registry: '0x12', _cap: '-1', extra: 1 }, order: 1 },
        { sc_artifact_id: ids['Shop'] ?? 0, params: { _token: '{Missing_ADDRESS}' }, order: 1 },
        { sc_artifact_id: 999_999, order: 2 },
      ],
      { type: 'organisation', address: OUTSIDER.address },
    );
    expect(wrongFields(answer).toSorted()).toEqual([
      'deployment_params.0.params._cap',
      'deployment_params.0.params._registry',
      'deployment_params.0.params.extra',
      'deployment_params.1.order',
      'deployment_params.1.params._token',
      'deployment_params.2.sc_artifact_id',
    ]);
    const registry = [{ sc_artifact_id: ids['Registry'] ?? 0, order: 1 }];
    expect(wrongFields(await deploy(registry, { type: 'organisation', address: OUTSIDER.address }))).toEqual([
      'wallet_options.address',
    ]);
    expect(wrongFields(await deploy(registry, { ...organisation(), type: 'end_user' }))).toEqual([
      'wallet_options.address',
    ]);
    expect(await releases.chain.getBlockNumber()).toBe(height);
  });

  it('locks its version against updates', async () => {
    const { deploy, ids, path } = await release('Locked');
    const url = releases.receiver.url();
    await deploy([{ sc_artifact_id: ids['Registry'] ?? 0, order: 1 }], organisation(2), url);
    await releases.receiver.received(url);
    expect((await releases.submit(path, { sources: CHAIN_OF_THREE })).status).toBe(422);
  });
});

describe('a deployment signed elsewhere', () => {
  const gas = { gas: 3_000_000n, gasPrice: 0n, type: 'legacy' } as const;

  it('is checked against chain, sender, nonce and bytecode, then sent as it is', async () => {
    const { deploy, ids, artifacts } = await release('Signed');
    const token = artifacts.find((one) => one['contract_name'] === 'Token');
    const registryCode = artifacts.find((one) => one['contract_name'] === 'Registry')?.['bytecode'] as Hex;
    const registry = getContractAddress({ from: OUTSIDER.address, nonce: 0n });
    const abi = token?.['contract_abi'] as unknown as Abi;
    const data = encodeDeployData({ abi, bytecode: token?.['bytecode'] as Hex, args: [registry, 9n] });
    const sign = (fields: { chainId?: number; nonce: number; data: Hex; to?: Hex }) =>
      OUTSIDER.signTransaction({ chainId: 31_337, ...gas, ...fields });
    const wallet = { type: 'non_custodial', address: OUTSIDER.address };
    const params = async (first: Promise<string>) => [
      { sc_artifact_id: ids['Registry'] ?? 0, signed_trx: await first, order: 1 },
      { sc_artifact_id: ids['Token'] ?? 0, signed_trx: await sign({ nonce: 1, data }), order: 2 },
    ];
    for (const wrong of [
      sign({ nonce: 0, data: registryCode, chainId: 1 }),
      sign({ nonce: 5, data: registryCode }),
      sign({ nonce: 0, data }),
      sign({ nonce: 0, data: registryCode, to: OUTSIDER.address }),
      privateKeyToAccount(`0x${'77'.repeat(32)}`).signTransaction({
        chainId: 31_337,
        ...gas,
        nonce: 0,
        data: registryCode,
      }),
    ]) {
      expect(wrongFields(await deploy(await params(wrong), wallet))).toEqual([
        'deployment_params.0.signed_trx',
      ]);
    }
    const url = releases.receiver.url();
    const answer = await deploy(await params(sign({ nonce: 0, data: registryCode })), wallet, url);
    expect(answer.status).toBe(200);
    const callback = await releases.receiver.received(url);
    expect(callback['status']).toBe('Completed');
    expect(at(callback, 'deployed_contract_addresses.0.contract_address')).toBe(registry);
    expect(at(callback, 'deployed_contract_addresses.1.receipt.from')).toBe(OUTSIDER.address.toLowerCase());
    const second = await deploy(await params(sign({ nonce: 0, data: registryCode })), wallet);
    expect(wrongFields(second)).toContain('deployment_params.0.signed_trx');
  });
});

describe('a deployment signed elsewhere that its sender cannot pay', () => {
  it('fails, and goes through as it stands once the sender can', async () => {
    const { deploy, ids, artifacts } = await release('Unpaid');
    const registry = artifacts.find((one) => one['contract_name'] === 'Registry')?.['bytecode'] as Hex;
    const poor = privateKeyToAccount(`0x${'5b'.repeat(32)}`);
    const gas = { gas: 3_000_000n, gasPrice: 1_000_000_000n, type: 'legacy', chainId: 31_337 } as const;
    const signed_trx = await poor.signTransaction({ ...gas, nonce: 0, data: registry });
    const wallet = { type: 'non_custodial', address: poor.address };
    const attempt = async () => {
      const url = releases.receiver.url();
      const answer = await deploy(
        [{ sc_artifact_id: ids['Registry'] ?? 0, signed_trx, order: 1 }],
        wallet,
        url,
      );
      expect(answer.status).toBe(200);
      return releases.receiver.received(url);
    };
    for (const failed of [await attempt(), await attempt()]) {
      expect(failed['status']).toBe('Error');
      expect(textAt(failed, 'message')).toContain('nsufficient funds');
    }
    const rich = mnemonicToAccount('test test test test test test test test test test test junk', {
      addressIndex: 8,
    });
    const gift = { to: poor.address, value: 10n ** 18n, nonce: 0, ...gas, gasPrice: 0n, gas: 21_000n };
    const serializedTransaction = await rich.signTransaction(gift);
    await releases.chain.sendRawTransaction({ serializedTransaction });
    const paid = await attempt();
    expect(paid['status']).toBe('Completed');
    const address = getContractAddress({ from: poor.address, nonce: 0n });
    expect(at(paid, 'deployed_contract_addresses.0.contract_address')).toBe(address);
  });

  it('costs nothing at the price that the platform names', async () => {
    expect(await releases.chain.getGasPrice()).toBe(0n);
    expect(await releases.chain.estimateFeesPerGas({ chain: null, type: 'eip1559' })).toMatchObject({
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
    });
  });

  it('may come from a wallet that the platform keeps too', async () => {
    const { deploy, ids, artifacts } = await release('Both');
    const data = artifacts.find((one) => one['contract_name'] === 'Registry')?.['bytecode'] as Hex;
    const account = mnemonicToAccount('test test test test test test test test test test test junk', {
      addressIndex: 7,
    });
    const fields = {
      gas: 3_000_000n,
      gasPrice: 0n,
      type: 'legacy',
      chainId: 31_337,
      nonce: 0,
      data,
    } as const;
    const signed_trx = await account.signTransaction(fields);
    const wallet = { type: 'non_custodial', address: account.address };
    const url = releases.receiver.url();
    await deploy([{ sc_artifact_id: ids['Registry'] ?? 0, signed_trx, order: 1 }], wallet, url);
    expect((await releases.receiver.received(url))['status']).toBe('Completed');
    const next = releases.receiver.url();
    await deploy([{ sc_artifact_id: ids['Registry'] ?? 0, order: 1 }], organisation(7), next);
    const address = getContractAddress({ from: account.address, nonce: 1n });
    const callback = await releases.receiver.received(next);
    expect(at(callback, 'deployed_contract_addresses.0.contract_address')).toBe(address);
  });
});

describe('the JSON-RPC address', () => {
  it('takes signed transactions through the ledger and refuses to be driven', async () => {
    const account = privateKeyToAccount(`0x${'33'.repeat(32)}`);
    const nothing = {
      to: account.address,
      gas: 21_000n,
      gasPrice: 0n,
      type: 'legacy',
      chainId: 31_337,
    } as const;
    const serializedTransaction = await account.signTransaction({ ...nothing, nonce: 0 });
    const hash = await releases.chain.sendRawTransaction({ serializedTransaction });
    const receipt = await releases.chain.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    expect(receipt.status).toBe('success');
    const read = await releases.api.get(`/api/contract/transactions/${hash}/receipt`);
    expect(at(read.body, 'result')).toMatchObject({ transactionHash: hash, status: true });
    const nonce = await releases.api.get(`/api/contract/accounts/${account.address}/nonce`);
    expect(at(nonce.body, 'result')).toBe(1);
    await expect(releases.chain.sendRawTransaction({ serializedTransaction })).rejects.toThrow(
      /already known/,
    );
    const drive = releases.chain.request({ method: 'evm_mine' as 'eth_chainId' });
    await expect(drive).rejects.toThrow(/not available/);
  });
});

describe('a wallet whose key was used elsewhere for a transaction that the chain refuses', () => {
  it('goes on with the next nonce', async () => {
    const account = mnemonicToAccount('test test test test test test test test test test test junk', {
      addressIndex: 9,
    });
    const { deploy, ids } = await release('Stuck');
    const fields = { chainId: 31_337, nonce: 0, gas: 16_000_000n, gasPrice: 0n, type: 'legacy' } as const;
    const data: Hex = `0x${'00'.repeat(60_000)}`;
    const serializedTransaction = await account.signTransaction({ ...fields, data });
    await releases.chain.sendRawTransaction({ serializedTransaction });
    const url = releases.receiver.url();
    await deploy([{ sc_artifact_id: ids['Registry'] ?? 0, order: 1 }], organisation(9), url);
    const callback = await releases.receiver.received(url);
    const expected = getContractAddress({ from: account.address, nonce: 1n });
    expect(at(callback, 'deployed_contract_addresses.0.contract_address')).toBe(expected);
  });
});
