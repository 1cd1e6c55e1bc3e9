import { LOCAL } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import { textMember } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import type { Digest } from '../model/canonical.js';
import { readChainCode } from '../remote/chain.js';
import { openRpc, type Rpc } from '../remote/rpc.js';
import { lockedContracts, type SeenCode } from '../report/attestation.js';
import type { Lock } from '../state/lock.js';
import { SYSTEM_CLOCK } from './clock.js';
import { openLocalPlatform } from './local-platform.js';
import type { PlanFile } from './plan-file.js';
import { localTarget, chainAt } from './target.js';
import type { Terminal } from './terminal.js';

/**
 * The code at the address of every locked contract; contracts that the node does not tell of are left out.
 *
 * @returns undefined when the environment names no node
 * @throws LOCK_OTHER_TARGET when the node is one of another chain; REMOTE_*
 */
export async function readCodes(
  terminal: Terminal,
  file: PlanFile,
  { plan, lock }: { readonly plan: Plan; readonly lock: Lock },
): Promise<readonly SeenCode[] | undefined> {
  const { environment } = plan;
  if (lockedContracts(lock).length === 0) return [];
  if (environment.name !== LOCAL) {
    return environment.rpcUrl === undefined
      ? undefined
      : withRpc(environment.rpcUrl, file, (rpc) => codesOnChain(rpc, lock));
  }
  const platform = await openLocalPlatform(file.folder, terminal);
  try {
    checkChain(lock, localTarget(platform).chain);
    return await withRpc(platform.rpcUrl, file, (rpc) => codesOf(rpc, lock));
  } finally {
    await platform.close();
  }
}

async function codesOnChain(rpc: Rpc, lock: Lock): Promise<readonly SeenCode[]> {
  checkChain(lock, await chainAt(rpc));
  return codesOf(rpc, lock);
}

async function codesOf(rpc: Rpc, lock: Lock): Promise<readonly SeenCode[]> {
  const seen = await Promise.all(
    lockedContracts(lock).map(async ({ id, address }): Promise<readonly SeenCode[]> => {
      const answer = await readChainCode(rpc, address);
      if (answer.type === 'absent') return [{ id, address, code: 'absent' }];
      const digest = answer.type === 'found' ? textMember(answer.value, 'digest') : undefined;
      return digest === undefined ? [] : [{ id, address, code: digest as Digest }];
    }),
  );
  return seen.flat();
}

async function withRpc<T>(
  url: string,
  { permissions }: Pick<PlanFile, 'permissions'>,
  read: (rpc: Rpc) => Promise<T>,
): Promise<T> {
  const rpc = openRpc({ url, clock: SYSTEM_CLOCK, permissions });
  try {
    return await read(rpc);
  } finally {
    await rpc.close();
  }
}

function checkChain(lock: Lock, chain: string | undefined): void {
  const { chain: locked } = lock.target;
  if (locked === undefined || chain === undefined || locked === chain) return;
  throw new WindlassError(
    'LOCK_OTHER_TARGET',
    `The lock belongs to the chain ${locked}; the node that was asked is one of the chain ${chain}.`,
  );
}
