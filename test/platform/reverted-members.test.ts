import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { encodeDeployData, type Abi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { startReachable } from './reachable-node.js';
import { openRpc } from '../../src/platform/chain/rpc.js';
import type { PlatformOptions } from '../../src/platform/platform.js';
import type { Effect } from '../../src/platform/server/truth.js';
import { at, listAt, textAt } from './client.js';
import { openReleases } from './releases.js';

const OUTSIDER = privateKeyToAccount(`0x${'7b'.repeat(32)}`);

const MAYBE = {
  'Maybe.sol': `// SPDX-License-Identifier: MIT
pragma solidity >=0.8.0;
contract Maybe { constructor(bool stands) { require(stands, "not this one"); } }
`,
};

/** Who deploys: the place of a development wallet, or one who signs elsewhere. */
type Deployer = 0 | 1 | 'outsider';

/** One deploy request: which of its contracts do not revert. */
interface Asked {
  readonly by: Deployer;
  readonly stands: readonly boolean[];
}

async function world(options: Partial<PlatformOptions> = {}) {
  const releases = await openReleases({ truth: { port: 0 }, ...options });
  const { api, platform, chain } = releases;
  const { path, ids, artifacts } = await releases.compiled('Maybe', { sources: MAYBE });
  const artifact = artifacts[0]!;
  const addressOf = (by: Deployer): Hex =>
    by === 'outsider' ? OUTSIDER.address : (platform.wallets[by] as Hex);
  const nonceOf = async (by: Deployer): Promise<number> => {
    const { body } = await api.get(`/api/contract/accounts/${addressOf(by)}/nonce`);
    return Number(at(body, 'result'));
  };
  const sign = async (stands: boolean, nonce: number): Promise<string> =>
    OUTSIDER.signTransaction({
      type: 'legacy',
      chainId: platform.chainId,
      gas: 2_000_000n,
      gasPrice: 0n,
      nonce,
      data: encodeDeployData({
        abi: artifact['contract_abi'] as unknown as Abi,
        bytecode: textAt(artifact, 'bytecode') as Hex,
        args: [stands],
      }),
    });
  /** Posts a deploy request; one signed elsewhere again with other nonces, while those it had are overtaken. */
  const deploy = async ({ by, stands }: Asked): Promise<string> => {
    for (;;) {
      const begin = await nonceOf(by);
      const params: Json[] = [];
      for (const [order, one] of stands.entries()) {
        const item =
          by === 'outsider' ? { signed_trx: await sign(one, begin + order) } : { params: { stands: one } };
        params.push({ sc_artifact_id: ids['Maybe'] ?? 0, order, ...item });
      }
      const wallet_options = {
        type: by === 'outsider' ? 'non_custodial' : 'organisation',
        address: addressOf(by),
      };
      const answer = await api.post(`${path}/deploy`, { wallet_options, deployment_params: params });
      if (answer.status === 200) return textAt(answer.body, 'result.deployment_id');
      if (by !== 'outsider') throw new Error(JSON.stringify(answer));
    }
  };
  const effects = async (): Promise<readonly Effect[]> => {
    const answer = await fetch(`${platform.truthUrl ?? ''}/__truth/effects`);
    return ((await answer.json()) as { readonly effects: readonly Effect[] }).effects;
  };
  /** Waits until nothing is pending; answers what still is after long. */
  const atRest = async (): Promise<readonly Effect[]> => {
    for (let left = 200; ; left -= 1) {
      const pending = (await effects()).filter(({ state }) => state === 'pending');
      if (pending.length === 0 || left === 0) return pending;
      await pause(50);
    }
  };
  const standing = async (deployment: string): Promise<number> => {
    const { body } = await api.get('/api/contract/smart-contracts', { 'filter-deployment_id': deployment });
    return listAt(body, 'result').length;
  };
  const onChain = async (by: Deployer): Promise<number> =>
    chain.getTransactionCount({ address: addressOf(by) });
  return { releases, deploy, nonceOf, onChain, atRest, standing };
}

const ASKED = fc.array(
  fc.record({
    by: fc.constantFrom<Deployer>(0, 1, 'outsider'),
    stands: fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);

/** What stands of a custodial wallet's request: all before the first that reverts. */
function before(stands: readonly boolean[]): number {
  const first = stands.indexOf(false);
  return first === -1 ? stands.length : first;
}

async function holdsFor(asked: readonly Asked[], here: Awaited<ReturnType<typeof world>>): Promise<void> {
  const ids = new Map<string, Asked>();
  for (const one of asked) ids.set(await here.deploy(one), one);
  expect(await here.atRest()).toEqual([]);
  for (const [id, { by, stands }] of ids)
    if (by !== 'outsider') expect(await here.standing(id)).toBe(before(stands));
  for (const by of [0, 1, 'outsider'] as const) {
    expect(await here.nonceOf(by)).toBe(await here.onChain(by));
    const later = await here.deploy({ by, stands: [true] });
    expect(await here.atRest()).toEqual([]);
    expect(await here.standing(later)).toBe(1);
  }
}

describe('contracts behind one that reverts', { timeout: 120_000 }, () => {
  it('leave nothing pending, however many there are', async () => {
    const here = await world();
    for (const count of [1, 2, 3, 4, 7])
      await holdsFor([{ by: 0, stands: [true, false, ...Array.from({ length: count }, () => true)] }], here);
    await here.releases.close();
  });

  it('leave nothing pending and no gap, whoever deploys and wherever they revert', async () => {
    const here = await world();
    await fc.assert(
      fc.asyncProperty(ASKED, (asked) => holdsFor(asked, here)),
      { numRuns: 12, endOnFailure: true },
    );
    await here.releases.close();
  });

  it('leave nothing pending and no gap on a node of somebody else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'node-'));
    const node = await startReachable({ chainId: 4343, cacheDir: folder, fundDevelopmentAccounts: true });
    const rpc = openRpc(node.url);
    await rpc.request('evm_setAutomine', [true]);
    await rpc.request('anvil_setBalance', [OUTSIDER.address, '0xde0b6b3a7640000']);
    const here = await world({ rpcUrl: node.url });
    await fc.assert(
      fc.asyncProperty(ASKED, (asked) => holdsFor(asked, here)),
      { numRuns: 4, endOnFailure: true },
    );
    await here.releases.close();
    await rpc.close();
    await node.kill();
    await rm(folder, { recursive: true });
  });
});
