import { kindOf, type KindName, type ResourceId } from '../model/id.js';
import type { Abilities } from '../kinds/kind.js';
import { ownershipRead, type Entries, type OwnershipRead } from '../kinds/maker/ownership.js';
import type { LockEntry } from '../state/lock.js';
import type { Looked } from '../state/event.js';
import { lookedAt } from './looked.js';
import type { Service } from './ports.js';

/** Things of one kind that are read: enough to convince, whatever is locked. */
const MOST_OF_A_KIND = 3;

/** What reads with a key show of what is locked. */
export interface KeyProof {
  /**
   * `same`: it reads what only the organisation of the lock has, and misses nothing; `other`: it is shown nothing of that and
   * misses something; `mixed`: some, and not all; `unreadable`: this environment can read nothing that would tell.
   */
  readonly verdict: 'same' | 'other' | 'mixed' | 'unreadable';
  /** What only one organisation can have and the key is shown. */
  readonly shown: readonly ResourceId[];
  readonly missing: readonly ResourceId[];
  /** What was read, in words. */
  readonly looked: readonly Looked[];
}

/**
 * Reads a sample of what is locked with the key in use: at most three things of each kind. What everybody is shown, on the
 * chain or on the service, proves nothing and is not read.
 *
 * @throws REMOTE_*
 */
export async function proveKey(
  entries: Entries,
  { service, abilities }: { readonly service: Pick<Service, 'read'>; readonly abilities: Abilities },
): Promise<KeyProof> {
  const reads = sampleOf(entries).flatMap(
    (entry) => ownershipRead(entry, entries, abilities.capabilities) ?? [],
  );
  const answers = await Promise.all(reads.map(({ request }) => service.read(request)));
  const told = reads.map((read, index) => {
    const answer = answers[index];
    return { read, shows: answer === undefined ? undefined : read.shows(answer) };
  });
  const idsOf = (
    which: (read: OwnershipRead, shows: boolean | undefined) => boolean,
  ): readonly ResourceId[] => told.flatMap(({ read, shows }) => (which(read, shows) ? [read.id] : []));
  const shown = idsOf(({ strength }, shows) => strength === 'own' && shows === true);
  const missing = idsOf((_read, shows) => shows === false);
  return {
    verdict: verdictOf(shown.length, missing.length),
    shown,
    missing,
    looked: lookedAt(
      reads.map(({ request }) => request),
      answers,
    ),
  };
}

function verdictOf(shown: number, missing: number): KeyProof['verdict'] {
  if (missing === 0) return shown === 0 ? 'unreadable' : 'same';
  return shown === 0 ? 'other' : 'mixed';
}

function sampleOf(entries: Entries): readonly LockEntry[] {
  const counts = new Map<KindName, number>();
  const sample: LockEntry[] = [];
  for (const entry of entries.values()) {
    const kind = kindOf(entry.id);
    const count = counts.get(kind) ?? 0;
    if (count >= MOST_OF_A_KIND) continue;
    counts.set(kind, count + 1);
    sample.push(entry);
  }
  return sample;
}
