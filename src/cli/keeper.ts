import { openSpool } from '../disk/callback-spool.js';
import { isProbe, listenerFiles } from '../disk/listener-files.js';
import { ensurePrivateFolder } from '../disk/private-file.js';
import type { StatePaths } from '../disk/state-paths.js';
import { readTokens } from '../disk/token-reader.js';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { openListener, type Gate, type Listener } from '../remote/listener.js';
import { SYSTEM_CLOCK } from './clock.js';

/** Where callbacks are kept and listened for. */
export interface KeeperPlace {
  readonly paths: StatePaths;
  readonly host: string;
  readonly port: number;
  readonly anyPort: boolean;
  /** Knows tokens that were issued on other machines; absent: only those of this folder count. */
  readonly shared?: (digest: Digest) => Promise<boolean>;
  /** Told of each callback that was kept, by the digest of its token. */
  readonly kept: (token: Digest) => void;
}

/**
 * Listens for callbacks and keeps each as one durable file; 200 is answered only then. Needs no journal: whose token it
 * is, the next run finds out. Probes are answered and not kept.
 *
 * @throws CALLBACKS_PORT, STATE_*
 */
export async function openKeeper(place: KeeperPlace): Promise<Listener> {
  const { paths, kept, shared, ...address } = place;
  await ensurePrivateFolder(paths.folder);
  const spool = await openSpool(paths.spool);
  const tokens = readTokens(paths.tokens);
  const files = listenerFiles(paths);
  const gate: Gate<Digest | 'probe'> = {
    find: async (token) => {
      const own = tokens.lookup(token) ?? (isProbe(files, token) ? 'probe' : undefined);
      if (own !== undefined || shared === undefined) return own;
      const digest = digestOfBytes(token);
      return (await shared(digest)) ? digest : undefined;
    },
    deliver: async ({ owner, bytes }) => {
      if (owner === 'probe') return true;
      const outcome = await spool.keep(owner, bytes);
      if (outcome === 'kept') kept(owner);
      // Not acknowledged when there is no room, so that an honest sender tries again after the next run.
      return outcome !== 'full';
    },
  };
  return openListener({ ...address, clock: SYSTEM_CLOCK }, gate);
}
