import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createPublicClient, http, type Hex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { startPlatform, type Platform } from '../../src/platform/platform.js';
import { resetPlatform } from '../../src/platform/reset.js';
import { at, clientOf, listAt, textAt, type Credentials } from './client.js';
import { openReceiver, type Receiver } from './receiver.js';
import { CACHE_DIR, CHAIN_OF_THREE, releasesOf } from './releases.js';

let folder: string;
let receiver: Receiver;
const running: ChildProcess[] = [];
const platforms: Platform[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restarts-'));
  receiver = await openReceiver();
});
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const platform of platforms.splice(0)) await platform.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

interface Remote {
  readonly child: ChildProcess;
  readonly apiUrl: string;
  readonly apiKey: Credentials;
  readonly wallets: readonly string[];
}

/** The built platform in a process of its own, which can be killed. */
async function startProcess(): Promise<Remote> {
  const entry = new URL('../../dist/platform/platform.js', import.meta.url).href;
  const options = JSON.stringify({ dataDir: join(folder, 'data'), cacheDir: CACHE_DIR, bcryptCost: 4 });
  const code = `import { startPlatform } from ${JSON.stringify(entry)};
    const { apiUrl, apiKey, wallets } = await startPlatform(${options});
    console.log(JSON.stringify({ apiUrl, apiKey, wallets }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, ...(JSON.parse(line) as Omit<Remote, 'child'>) };
}

async function startHere(): Promise<Platform> {
  const options = { dataDir: join(folder, 'data'), cacheDir: CACHE_DIR, bcryptCost: 4 };
  const failed = (cause: unknown) => {
    throw cause;
  };
  const platform = await startPlatform({ ...options, failed });
  platforms.push(platform);
  return platform;
}

function toolsOf(remote: { readonly apiUrl: string; readonly apiKey: Credentials | undefined }) {
  const key = remote.apiKey as Credentials;
  const api = clientOf(remote.apiUrl, key);
  return { api, ...releasesOf(remote.apiUrl, key, api) };
}

async function kill({ child }: Remote): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a platform that was stopped', () => {
  it('goes on with the same identity, records, chain and wallets', async () => {
    const first = await startHere();
    const before = toolsOf(first);
    const { ids, path } = await before.compiled('Kept', { sources: CHAIN_OF_THREE });
    const url = receiver.url();
    const deploy = { deployment_params: [{ sc_artifact_id: ids['Registry'] ?? 0, order: 1 }] };
    const wallet_options = { type: 'organisation', address: first.wallets[0] ?? '' };
    await before.api.post(`${path}/deploy`, { ...deploy, wallet_options, callback_url: url });
    const registry = at(
      await receiver.received(url),
      'deployed_contract_addresses.0.contract_address',
    ) as Hex;
    await first.stop();
    const second = await startHere();
    expect(second).toMatchObject({
      id: first.id,
      genesis: first.genesis,
      apiKey: first.apiKey,
      wallets: first.wallets,
    });
    const after = toolsOf(second);
    expect(at((await after.api.get(path)).body, 'result.emitted_events.0.contract_address')).toBe(registry);
    const chain = createPublicClient({ transport: http(second.rpcUrl) });
    expect(await chain.getCode({ address: registry })).toMatch(/^0x60/);
    const again = receiver.url();
    await after.api.post(`${path}/deploy`, { ...deploy, wallet_options, callback_url: again });
    expect((await receiver.received(again))['status']).toBe('Completed');
  });

  it('shares its folder with no other platform, and keeps its secrets to its owner', async () => {
    await startHere();
    await expect(startHere()).rejects.toMatchObject({ name: 'FolderLocked', pid: process.pid });
    for (const file of ['identity.json', 'records.db']) {
      expect((await stat(join(folder, 'data', file))).mode & 0o077).toBe(0);
    }
  });

  it('gives two fresh folders the same addresses for the same requests', async () => {
    const addresses: string[][] = [];
    for (const name of ['a', 'b']) {
      const platform = await startPlatform({ dataDir: join(folder, name), cacheDir: CACHE_DIR });
      const { api } = toolsOf(platform);
      const people = ['Ana', 'Ben'].map((who) => ({
        name: who,
        email: `${who}@example.com`,
        ic: `ic-${who}`,
      }));
      const made: string[] = [];
      for (const person of people) {
        const { body } = await api.post('/api/wallet/create-user', person);
        made.push(textAt(body, 'result.wallet.wallet_address'));
      }
      addresses.push(made);
      await platform.stop();
    }
    expect(addresses[0]).toEqual(addresses[1]);
    expect(new Set(addresses[0]).size).toBe(2);
  });
});

describe('a platform that was killed', () => {
  it('settles every accepted deployment exactly once and still calls back', async () => {
    let remote = await startProcess();
    let tools = toolsOf(remote);
    const { ids, path } = await tools.compiled('Killed', { sources: CHAIN_OF_THREE });
    const accepted: { readonly id: string; readonly url: string }[] = [];
    for (let round = 0; round < 4; round += 1) {
      const sending = [0, 1, 2, 3, 4, 5].map(async (index) => {
        const url = receiver.url();
        const answer = await tools.api.post(`${path}/deploy`, {
          wallet_options: { type: 'organisation', address: remote.wallets[index] ?? '' },
          deployment_params: [
            { sc_artifact_id: ids['Registry'] ?? 0, order: 1 },
            {
              sc_artifact_id: ids['Token'] ?? 0,
              params: { _registry: '{Registry_ADDRESS}', _cap: 4 },
              order: 2,
            },
          ],
          callback_url: url,
        });
        accepted.push({ id: textAt(answer.body, 'result.deployment_id'), url });
        // The answer is on its way; what it promised must survive whatever happens from here.
        if (accepted.length % 6 === round + 1) await kill(remote);
      });
      await Promise.allSettled(sending);
      remote = await startProcess();
      tools = toolsOf(remote);
    }
    expect(accepted.length).toBeGreaterThan(3);
    const addresses: unknown[] = [];
    for (const { id, url } of accepted) {
      const callback: JsonObject = await receiver.received(url);
      expect(callback).toMatchObject({ status: 'Completed', deployment_id: id });
      const deployed = listAt(callback, 'deployed_contract_addresses');
      const listed = await tools.api.get('/api/contract/smart-contracts', { 'filter-deployment_id': id });
      const seen = listAt(listed.body, 'result').map((one) => one['contract_address']);
      expect(seen.toReversed()).toEqual(deployed.map((one) => one['contract_address']));
      addresses.push(...seen);
    }
    expect(new Set(addresses).size).toBe(addresses.length);
    const chain = createPublicClient({ transport: http(`${remote.apiUrl}/rpc`) });
    for (const address of addresses)
      expect(await chain.getCode({ address: address as Hex })).toMatch(/^0x60/);
    await kill(remote);
  }, 120_000);
});

describe('a platform that was reset', () => {
  it('begins anew as another platform, and is not reset while it runs', async () => {
    const first = await startHere();
    const dataDir = join(folder, 'data');
    await expect(resetPlatform(dataDir)).rejects.toMatchObject({ name: 'FolderLocked' });
    await toolsOf(first).project('Gone');
    await first.stop();
    await resetPlatform(dataDir);
    const second = await startHere();
    expect(second.id).not.toBe(first.id);
    expect(listAt((await toolsOf(second).api.get('/api/contract/projects')).body, 'result')).toEqual([]);
  });
});
