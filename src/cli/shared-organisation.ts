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
  const { plan, keyFlags } = session;
  const { name } = plan.environment;
  if (name === LOCAL) return undefined;
  const left = new Set([LOCAL, name, ...(keyFlags.shareWith ?? [])]);
  for (const { name: environment } of plan.environments.filter((one) => !left.has(one.name))) {
    const what = await sharedWith(session, environment);
    if (what !== undefined)
      return { environment, message: `Nothing was released to ${name} yet, and its credentials ${what}.` };
  }
  return undefined;
}

/** What the credentials in use have to do with the lock of another environment; undefined for nothing. */
async function sharedWith(
  { target, place, service, abilities }: Session,
  environment: string,
): Promise<string | undefined> {
  const lockfile = await readLockfile(statePaths({ ...place, environment })).catch(() => undefined);
  if (lockfile === undefined || lockfile.head.entries.size === 0) return undefined;
  const { entries, target: theirs } = lockfile.head;
  const isSameOrigin = theirs.origin === target.origin;
  if (isSameOrigin && keysOf(theirs).includes(target.client)) return `are those of ${environment}`;
  if (isSameOrigin && theirs.organisation !== undefined && target.organisation !== undefined)
    return theirs.organisation === target.organisation
      ? `are of the organisation of ${environment}, ${target.organisation}`
      : undefined;
  const [id] = (await proveKey(entries, { service, abilities })).shown;
  if (id === undefined) return undefined;
  const address = entries.get(id)?.outputs.address;
  const at = address === undefined ? '' : ` at ${address}`;
  return `read what the lock of ${environment} holds: ${id}${at}`;
}
