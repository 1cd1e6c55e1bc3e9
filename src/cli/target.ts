import { digestOfBytes } from '../model/canonical.js';
import { textMember } from '../model/json.js';
import type { Permissions } from '../model/permissions.js';
import { openRpc, type Rpc } from '../remote/rpc.js';
import type { Target } from '../state/event.js';
import { SYSTEM_CLOCK } from './clock.js';
import type { LocalPlatform } from './local-platform.js';

/** The target of the embedded platform: its data and its chain, never its port. */
export function localTarget(platform: Pick<LocalPlatform, 'id' | 'chainId' | 'genesis'>): Target {
  return {
    origin: 'local',
    client: digestOfBytes(platform.id),
    chain: `${platform.chainId}:${platform.genesis}`,
  };
}

/**
 * The target of a service: its origin, the client, and the chain where a node can be asked.
 *
 * @throws REMOTE_UNREACHABLE, REMOTE_ANSWER when the node at `rpcUrl` does not answer
 */
export async function remoteTarget(service: {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly rpcUrl?: string;
  readonly permissions: Permissions;
}): Promise<Target> {
  const known = { origin: new URL(service.baseUrl).origin, client: digestOfBytes(service.clientId) };
  if (service.rpcUrl === undefined) return known;
  const rpc = openRpc({ url: service.rpcUrl, clock: SYSTEM_CLOCK, permissions: service.permissions });
  try {
    return { ...known, chain: await chainAt(rpc) };
  } finally {
    await rpc.close();
  }
}

/** The chain that a node belongs to: its id and the hash of its first block. @throws REMOTE_UNREACHABLE, REMOTE_ANSWER */
export async function chainAt(rpc: Pick<Rpc, 'call'>): Promise<string> {
  const [id, genesis] = await Promise.all([
    rpc.call('eth_chainId', []),
    rpc.call('eth_getBlockByNumber', ['0x0', false]),
  ]);
  const number = typeof id === 'string' ? BigInt(id).toString() : '';
  return `${number}:${textMember(genesis, 'hash') ?? ''}`;
}
