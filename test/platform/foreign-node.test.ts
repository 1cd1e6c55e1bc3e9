import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtemp, rm, truncate, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHealth } from '../../src/cli/local-platform.js';
import { localPace, REMOTE_PACE } from '../../src/execute/pace.js';
import { startReachable } from './reachable-node.js';
import { openRpc, type Rpc } from '../../src/platform/chain/rpc.js';
import { startPlatform } from '../../src/platform/platform.js';
import { at, listAt } from './client.js';
import { CACHE_DIR, CHAIN_OF_THREE, openReleases, type Releases } from './releases.js';

let folder: string;
let node: Awaited<ReturnType<typeof startReachable>>;
let rpc: Rpc;
let releases: Releases;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'node-'));
  node = await startReachable({ chainId: 4242, cacheDir: folder, fundDevelopmentAccounts: true });
  rpc = openRpc(node.url);
  // Somebody else's node mines by itself; the platform only sends and looks.
  await rpc.request('evm_setIntervalMining', [1]);
  releases = await openReleases({ rpcUrl: node.url });
});
afterAll(async () => {
  await releases.close();
  await rpc.close();
  await node.kill();
  await rm(folder, { recursive: true });
});

describe('a platform over a foreign node', () => {
  it('promises no time by which a write is begun and shown, because the node has its own', async () => {
    const health = await fetch(`${releases.platform.apiUrl}/health`);
    expect(await health.json()).not.toHaveProperty('max_execution_delay_ms');
    const { executionBoundMs } = await readHealth(releases.platform.apiUrl);
    expect(localPace(executionBoundMs)).toEqual(REMOTE_PACE);
  });

  it('takes its chain id and deploys one contract after the other, stopping at the first failure', async () => {
    expect(releases.platform.chainId).toBe(4242);
    const { ids, path } = await releases.compiled('Foreign', { sources: CHAIN_OF_THREE });
    const deploy = async (cap: string) => {
      const url = releases.receiver.url();
      await releases.api.post(`${path}/deploy`, {
        wallet_options: { type: 'organisation', address: releases.platform.wallets[0] ?? '' },
        deployment_params: [
          { sc_artifact_id: ids['Registry'] ?? 0, order: 1 },
          {
            sc_artifact_id: ids['Token'] ?? 0,
            params: { _registry: '{Registry_ADDRESS}', _cap: cap },
            order: 2,
          },
          { sc_artifact_id: ids['Shop'] ?? 0, params: { _token: '{Token_ADDRESS}' }, order: 3 },
        ],
        callback_url: url,
      });
      return releases.receiver.received(url);
    };
    const failed = await deploy('0');
    expect(failed['status']).toBe('Error');
    expect(listAt(failed, 'deployed_contract_addresses')).toHaveLength(1);
    const done = await deploy('1');
    expect(done['status']).toBe('Completed');
    const blocks = listAt(done, 'deployed_contract_addresses').map((one) => at(one, 'receipt.blockNumber'));
    expect(new Set(blocks).size).toBe(3);
  });
});

describe('a platform whose saved chain state is damaged', () => {
  it('rebuilds the chain from the log of its blocks', async () => {
    const dataDir = join(folder, 'data');
    const options = { dataDir, cacheDir: CACHE_DIR };
    const first = await startPlatform(options);
    const key = first.apiKey!;
    const headers = {
      client_id: key.client_id,
      client_secret: key.client_secret,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ name: 'Log', field: { encrypt_data: false } });
    await fetch(`${first.apiUrl}/api/audit/contracts`, { method: 'POST', headers, body });
    const head = async (url: string) => {
      const over = openRpc(`${url}/rpc`);
      const block = await over.request('eth_getBlockByNumber', ['latest', false]);
      await over.close();
      return { number: at(block, 'number'), hash: at(block, 'hash') };
    };
    await expect.poll(async () => (await head(first.apiUrl)).number).toBe('0x1');
    const before = await head(first.apiUrl);
    await first.stop();
    const saved = (await readdir(join(dataDir, 'chain'))).filter((name) => name.endsWith('.json'));
    expect(saved).toEqual(['state-1.json']);
    await truncate(join(dataDir, 'chain', 'state-1.json'), 100);
    const second = await startPlatform(options);
    expect(await head(second.apiUrl)).toEqual(before);
    await second.stop();
  });
});
