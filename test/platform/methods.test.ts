import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeDeployData, encodeFunctionData, parseAbi, type Abi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Json } from '../../src/model/json.js';
import { at, textAt, wrongFields } from './client.js';
import { openReleases, type Releases } from './releases.js';

const OUTSIDER = privateKeyToAccount(`0x${'5b'.repeat(32)}`);

const SOURCES = {
  'Counter.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Counter {
  struct Pair { uint8 small; string text; }
  uint256 public count; address public last; Pair pair; bytes4 tag = 0x01020304; int256[] steps;
  event Counted(uint256 count);
  constructor(uint256 _start) { count = _start; }
  function increment(uint256 by) external { require(by > 0, "nothing to add"); count += by; last = msg.sender; steps.push(-int256(by)); emit Counted(count); }
  function set(uint256 to) external { count = to; }
  function set(string calldata text) external { pair = Pair(7, text); }
  function all() external view returns (uint256 number, Pair memory both, int256[] memory moves, bool yes, bytes4, address who) {
    return (count, pair, steps, true, tag, msg.sender);
  }
}
`,
};

let releases: Releases;
let address: Hex;
let abi: Abi;
let bytecode: Hex;

beforeAll(async () => {
  releases = await openReleases();
  const { ids, path, artifacts } = await releases.compiled('Counters', { sources: SOURCES });
  const callback_url = releases.receiver.url();
  await releases.api.post(`${path}/deploy`, {
    wallet_options: organisation(),
    deployment_params: [{ sc_artifact_id: ids['Counter'] ?? 0, params: { _start: 5 }, order: 1 }],
    callback_url,
  });
  const body = await releases.receiver.received(callback_url);
  address = textAt(body, 'deployed_contract_addresses.0.contract_address') as Hex;
  abi = artifacts[0]?.['contract_abi'] as unknown as Abi;
  bytecode = textAt(artifacts[0]!, 'bytecode') as Hex;
}, 120_000);
afterAll(() => releases.close());

function organisation() {
  return { type: 'organisation', address: releases.platform.wallets[0] ?? '' };
}

const place = () => `/api/contract/smart-contracts/${address}`;
const read = (fields: object) =>
  releases.api.post(`${place()}/call`, { from: OUTSIDER.address, method_name: 'all', ...fields });
const execute = (fields: object) =>
  releases.api.post(`${place()}/execute`, { wallet_options: organisation(), ...fields });
const countNow = () =>
  releases.chain.readContract({
    address,
    abi: parseAbi(['function count() view returns (uint256)']),
    functionName: 'count',
  });

// One contract, whose state each test finds as the one before left it.
describe('one contract', { shuffle: false }, () => {
  describe('a call of a deployed contract', () => {
    it('answers every output by name, numbers as decimal text, whoever asks', async () => {
      const by = (2n ** 70n).toString();
      const callback_url = releases.receiver.url();
      const sent = await execute({ method_name: 'increment', params: { by }, callback_url });
      expect(sent.status).toBe(200);
      const hash = textAt(sent.body, 'result.transaction_hash');
      const callback = await releases.receiver.received(callback_url);
      expect(callback).toMatchObject({ status: 'Success', transactionHash: hash, receipt: { status: true } });
      const answer = await read({});
      expect(at(answer.body, 'result')).toEqual({
        number: (2n ** 70n + 5n).toString(),
        both: { small: '0', text: '' },
        moves: [`-${by}`],
        yes: true,
        4: '0x01020304',
        who: OUTSIDER.address,
      });
      expect(await countNow()).toBe(2n ** 70n + 5n);
    });

    it('tells overloads apart by their parameters or the whole signature', async () => {
      const text = await execute({ method_name: 'set', params: { text: 'hello' } });
      const number = await execute({ method_name: 'set(uint256)', params: { to: '9' } });
      expect([text.status, number.status]).toEqual([200, 200]);
      expect(wrongFields(await execute({ method_name: 'set' }))).toEqual(['method_name']);
      const hash = textAt(number.body, 'result.transaction_hash') as Hex;
      await releases.chain.waitForTransactionReceipt({ hash, pollingInterval: 50 });
      expect(await countNow()).toBe(9n);
      expect(at((await read({})).body, 'result.both')).toEqual({ small: '7', text: 'hello' });
    });

    it('is refused at once, with the reason, when it would revert', async () => {
      const answer = await execute({ method_name: 'increment', params: { by: 0 } });
      expect(answer.status).toBe(400);
      expect(textAt(answer.body, 'message')).toContain('nothing to add');
    });

    it.each([
      [{ method_name: 'nothing' }, ['method_name']],
      [{ method_name: 'increment', params: { by: 'x' } }, ['params.by']],
      [{ method_name: 'increment', params: {} }, ['params.by']],
      [{ method_name: 'increment', params: { by: 1, more: 2 } }, ['params.more']],
      [{ method_name: 'increment', contract_abi: 'abi' }, ['contract_abi']],
      [
        {
          method_name: 'f',
          contract_abi: [{ type: 'function', name: 'f', inputs: [{ name: 'a', type: 'what' }] }],
          params: { a: 1 },
        },
        ['contract_abi'],
      ],
      [
        { method_name: '__proto__', contract_abi: [{ type: 'function', name: '__proto__', inputs: [] }] },
        ['contract_abi'],
      ],
    ])('is refused: %j', async (fields, wrong) => {
      const answer = await execute(fields);
      expect(wrongFields(answer)).toEqual(wrong);
    });

    it('is of the organisation that deployed the contract only', async () => {
      const body = { from: OUTSIDER.address, method_name: 'all' };
      expect((await releases.stranger.post(`${place()}/call`, body)).status).toBe(404);
      expect((await releases.stranger.post(`${place()}/execute`, body)).status).toBe(404);
    });

    it('can be signed elsewhere', async () => {
      const { data } = { data: encodeFunctionData({ abi, functionName: 'increment', args: [1n] }) };
      const before = await countNow();
      const signed_trx = await OUTSIDER.signTransaction({
        chainId: releases.platform.chainId,
        nonce: 0,
        to: address,
        data,
        gas: 500_000n,
        gasPrice: 0n,
        type: 'legacy',
      });
      const wallet_options = { type: 'non_custodial', address: OUTSIDER.address };
      const callback_url = releases.receiver.url();
      const fields = { wallet_options, method_name: 'increment', signed_trx, callback_url };
      const elsewhere = {
        ...fields,
        wallet_options: { ...wallet_options, address: releases.platform.wallets[1] },
      };
      expect(wrongFields(await execute(elsewhere))).toEqual(['signed_trx']);
      expect((await execute(fields)).status).toBe(200);
      expect(await releases.receiver.received(callback_url)).toMatchObject({ status: 'Success' });
      expect(await countNow()).toBe(before + 1n);
      expect(wrongFields(await execute({ ...fields, signed_trx: '0x00' }))).toEqual(['signed_trx']);
    });
  });

  describe('the calls that help to write transactions', () => {
    const utils = (name: string, body: Json) => releases.api.post(`/api/contract/utils/${name}`, body);

    it('encode deployments and calls as an independent library does', async () => {
      const json = abi as unknown as Json;
      const deploy = await utils('deploy-encode', { abi: json, bytecode, params: { _start: '12' } });
      expect(at(deploy.body, 'result')).toBe(encodeDeployData({ abi, bytecode, args: [12n] }));
      const about = { abi: json, contract_address: address, method_name: 'increment' };
      const call = await utils('execute-encode', { ...about, params: { by: '12' } });
      expect(at(call.body, 'result')).toBe(
        encodeFunctionData({ abi, functionName: 'increment', args: [12n] }),
      );
      expect(wrongFields(await utils('execute-encode', { ...about, params: { by: 'x' } }))).toEqual([
        'params.by',
      ]);
      expect(wrongFields(await utils('deploy-encode', { abi: json, bytecode: '0x1' }))).toEqual([
        'bytecode',
        'params._start',
      ]);
    });

    it('estimate what a transaction really uses', async () => {
      const data = encodeFunctionData({ abi, functionName: 'increment', args: [3n] });
      const from = releases.platform.wallets[0] ?? '';
      const estimate = await utils('estimate-gas', { from, to: address, data });
      const sent = await execute({ method_name: 'increment', params: { by: 3 } });
      const hash = textAt(sent.body, 'result.transaction_hash') as Hex;
      const { gasUsed } = await releases.chain.waitForTransactionReceipt({ hash, pollingInterval: 50 });
      expect(Number(at(estimate.body, 'result'))).toBeGreaterThanOrEqual(Number(gasUsed));
      const creation = await utils('estimate-gas', {
        from,
        data: encodeDeployData({ abi, bytecode, args: [1n] }),
      });
      expect(Number(at(creation.body, 'result'))).toBeGreaterThan(200_000);
      const reverting = encodeFunctionData({ abi, functionName: 'increment', args: [0n] });
      const refused = await utils('estimate-gas', { from, to: address, data: reverting });
      expect(refused.status).toBe(400);
      expect(textAt(refused.body, 'message')).toContain('nothing to add');
      expect(wrongFields(await utils('estimate-gas', {}))).toEqual(['from']);
    });

    it('simulate a transaction without sending it', async () => {
      const before = await countNow();
      const data = encodeFunctionData({ abi, functionName: 'increment', args: [3n] });
      const good = await utils('simulate-transaction', { to: address, data, value: 0, nonce: 1 });
      expect(at(good.body, 'result')).toEqual({ success: true, message: '' });
      const reverting = encodeFunctionData({ abi, functionName: 'increment', args: [0n] });
      const bad = await utils('simulate-transaction', { to: address, data: reverting });
      expect(at(bad.body, 'result')).toEqual({
        success: false,
        message: 'Returned error: VM Exception while processing transaction: revert nothing to add',
      });
      expect(await countNow()).toBe(before);
      expect(wrongFields(await utils('simulate-transaction', { data: '0x1' }))).toEqual(['data', 'to']);
    });
  });
});
