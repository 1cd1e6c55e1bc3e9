import { readLockfile } from '../disk/lockfile-files.js';
import { statePaths } from '../disk/state-paths.js';
import { proveKey } from '../execute/key-proof.js';
import { LOCAL } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import { keysOf } from '../state/target.js';
import type { Session } from './session.js';

/**
 * Refuses to begin in an environment whose credentials belong to another environment of the plan: they are the key of its
 * lock, or of its organisation, or read what it holds. Asked only before anything was released here.
 *
 * @throws TARGET_SHARED naming the environment and what was read; REMOTE_*
 */
export async function refuseShared(session: Session): Promise<void> {
  const found = await findShared(session);
  if (found === undefined) return;
  throw new WindlassError('TARGET_SHARED', found.message, {
    advice: `Set the credentials that belong to ${session.plan.environment.name}. Where both share one organisation on purpose, add --share-with ${found.environment}.`,
  });
}

/** The environment whose organisation the credentials in use belong to, in a sentence; undefined when there is none. */
export async function findShared(
  session: Session,
): Promise<{ readonly environment: string; readonly message: string } | undefined> {
  const { plan, target, keyFlags, service, abilities } = session;
  const { name } = plan.environment;
  if (name === LOCAL) return undefined;
  const wanted = new Set([LOCAL, name, ...(keyFlags.shareWith ?? [])]);
  for (const other of plan.environments.filter((one) => !wanted.has(one.name))) {
    const paths = statePaths({ ...session.place, environment: other.name });
    const lockfile = await readLockfile(paths).catch(() => undefined);
    if (lockfile === undefined || lockfile.head.entries.size === 0) continue;
    const { entries, target: theirs } = lockfile.head;
    const because = (what: string) => ({
      environment: other.name,
      message: `Nothing was released to ${name} yet, and its credentials ${what}.`,
    });
    const isSameOrigin = theirs.origin === target.origin;
    if (isSameOrigin && keysOf(theirs).includes(target.client)) return because(`are those of ${other.name}`);
    if (isSameOrigin && theirs.organisation !== undefined && target.organisation !== undefined) {
      if (theirs.organisation !== target.organisation) continue;
      return because(`are of the organisation of ${other.name}, ${target.organisation}`);
    }
    const { shown } = await proveKey(entries, { service, abilities });
    const [id] = shown;
    const at = id === undefined ? undefined : entries.get(id)?.outputs.address;
    if (id !== undefined)
      return because(
        `read what the lock of ${other.name} holds: ${id}${at === undefined ? '' : ` at ${at}`}`,
      );
  }
  return undefined;
}
