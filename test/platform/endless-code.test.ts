import { createWalletClient, http, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, textAt } from './client.js';
import { openReleases, type Releases } from './releases.js';

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

const ENDLESS = `pragma solidity ^0.8.0;
contract Endless { constructor() { while (true) { } } }
contract Spin { function spin() external pure { while (true) { } } }`;

describe('code without an end', { timeout: 120_000 }, () => {
  it('fails for want of gas where it is deployed, called or estimated, and holds up nobody', async () => {
    const { api, receiver, platform } = releases;
    const { ids, path } = await releases.compiled('Endless', { sources: { 'Endless.sol': ENDLESS } });
    const deploy = async (name: string) => {
      const callback_url = receiver.url();
      const wallet_options = { type: 'organisation', address: platform.wallets[0] ?? '' };
      const deployment_params = [{ sc_artifact_id: ids[name] ?? 0, params: null, order: 1 }];
      await api.post(`${path}/deploy`, { wallet_options, deployment_params, callback_url });
      return receiver.received(callback_url);
    };
    expect(textAt(await deploy('Endless'), 'message')).toMatch(/^Endless: .*out ?of ?gas/i);
    const to = textAt(await deploy('Spin'), 'deployed_contract_addresses.0.contract_address');
    const method = { from: platform.wallets[0] ?? '', method_name: 'spin' };
    expect((await api.post(`/api/contract/smart-contracts/${to}/call`, method)).status).toBe(400);
    const data = '0xf0acd7d5';
    expect((await api.post('/api/contract/utils/estimate-gas', { to, data })).status).toBe(400);
    const direct = await releases.chain
      .request({ method: 'eth_call', params: [{ to: to as Hex, data, gas: '0xffffffffff' }, 'latest'] })
      .then(
        () => 'answered',
        (cause: unknown) => String(cause),
      );
    expect(direct).toMatch(/gas/i);
    expect(at(await deploy('Spin'), 'status')).toBe('Completed');
  });

  it('is not sent with a signature that gives it more gas than others may use', async () => {
    const { apiUrl, chainId } = releases.platform;
    const account = privateKeyToAccount(`0x${'5'.repeat(64)}`);
    const client = createWalletClient({ account, transport: http(`${apiUrl}/rpc`) });
    const sent = { to: account.address, chain: null, chainId, gasPrice: 0n, nonce: 0 } as const;
    await expect(client.sendTransaction({ ...sent, gas: 50_000_001n })).rejects.toThrow(/gas limit/);
    expect(await client.sendTransaction({ ...sent, gas: 50_000_000n })).toMatch(/^0x[0-9a-f]{64}$/);
  });
});
