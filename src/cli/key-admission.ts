import { openState } from '../disk/state-folder.js';
import type { StatePlace } from '../disk/state-paths.js';
import { pinnedTarget } from '../disk/pinned-target.js';
import { proveKey, type KeyProof } from '../execute/key-proof.js';
import type { Abilities } from '../kinds/kind.js';
import { WindlassError } from '../model/error.js';
import type { OpenService } from '../remote/service.js';
import type { KeyAccepted, Target } from '../state/event.js';
import type { Lock } from '../state/lock.js';
import { compareTargets, describeTarget, fingerprintOf, keysOf } from '../state/target.js';

/** Flags with which a person speaks for a key. */
export interface KeyFlags {
  /** Fingerprint of a key that a person knows to be of the lock's organisation. */
  readonly acceptKey?: string;
  /** Environments with which this one shares an organisation on purpose. */
  readonly shareWith?: readonly string[];
}

/** The licence of a key for a lineage that does not know it yet. */
export interface Admission {
  readonly lineage: string;
  readonly proof: Pick<KeyAccepted, 'by' | 'looked'>;
}

/** What is asked about a key. */
export interface KeyParts {
  readonly place: StatePlace;
  /** As far as it is known without asking the service. */
  readonly target: Target;
  readonly service: Pick<OpenService, 'read' | 'ownKey'>;
  readonly abilities: Abilities;
  readonly flags: KeyFlags;
}

/** The target in use, and what makes the key one of the lock's organisation, where the lock does not know it. */
export interface Admitted {
  readonly target: Target;
  readonly admission?: Admission;
}

/**
 * Finds out whether the key in use belongs to the organisation of the lock. A key that the lock knows is asked nothing about.
 * Another one is accepted when the service says that it is of the same organisation; where it does not say, when it reads what
 * only that organisation has; else by a person's word. Writes nothing: whoever takes the run lock records it.
 *
 * @throws LOCK_OTHER_TARGET naming both; LOCK_KEY_UNPROVEN with what was read; REMOTE_*
 */
export async function admitKey(parts: KeyParts): Promise<Admitted> {
  const { place } = parts;
  const pinned = (await pinnedTarget(place)) ?? (place.git && (await openState(place)).lock?.target);
  if (pinned !== undefined && keysOf(pinned).includes(parts.target.client)) return { target: parts.target };
  const target = await namedTarget(parts);
  const { lock } = pinned === undefined ? { lock: undefined } : await openState(place);
  if (lock === undefined) return { target };
  const how = compareTargets(lock.target, target);
  if (how === 'other') throw otherTarget(lock.target, target);
  if (keysOf(lock.target).includes(target.client)) return { target };
  if (how === 'same') return { target, admission: { lineage: lock.lineage, proof: { by: 'organisation' } } };
  return { target, admission: await proven(lock, target, parts) };
}

/** The target with its organisation, where the service names it. */
async function namedTarget({ target, service }: KeyParts): Promise<Target> {
  const key = await service.ownKey();
  return key === undefined
    ? target
    : { ...target, organisation: `${key.platform_id}/${key.organisation_id}` };
}

async function proven(lock: Lock, target: Target, { flags, ...parts }: KeyParts): Promise<Admission> {
  const found = await proveKey(lock.entries, parts);
  const { lineage } = lock;
  if (found.verdict === 'same') return { lineage, proof: { by: 'reads', looked: found.looked } };
  if (found.verdict === 'other') throw otherTarget(lock.target, target, found);
  const fingerprint = fingerprintOf(target.client);
  if (flags.acceptKey !== undefined && flags.acceptKey === fingerprint)
    return { lineage, proof: { by: 'operator', looked: found.looked } };
  const why =
    found.verdict === 'mixed'
      ? `It is shown ${named(found.shown)}, but not ${named(found.missing)}.`
      : 'This environment can read nothing that only its organisation has.';
  throw new WindlassError(
    'LOCK_KEY_UNPROVEN',
    `The lock belongs to ${describeTarget(lock.target)}; the key in use is ${fingerprint}. ${why}`,
    {
      advice: `Use the key of before. When you know that this key is of the same organisation, add --accept-key ${fingerprint}; the first apply keeps it, and it is not asked again.`,
    },
  );
}

function otherTarget(pinned: Target, used: Target, found?: KeyProof): WindlassError {
  const seen =
    found === undefined ? '' : ` With it the service does not show ${named(found.missing)}, which is locked.`;
  return new WindlassError(
    'LOCK_OTHER_TARGET',
    `The lock belongs to ${describeTarget(pinned)}; this environment is ${describeTarget(used)}.${seen}`,
  );
}

/** Ids that are named. */
const MOST_NAMED = 3;

function named(ids: readonly string[]): string {
  const rest = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  return `${ids.slice(0, MOST_NAMED).join(', ')}${rest}`;
}
