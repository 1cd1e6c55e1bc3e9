import { openState } from '../disk/state-folder.js';
import type { StatePlace } from '../disk/state-paths.js';
import type { Digest } from '../model/canonical.js';
import type { LineageState } from '../state/project.js';
import { SYSTEM_CLOCK } from './clock.js';

/** Least time between two looks at the remote, whatever strangers send. */
const LOOK_MS = 2000;

/**
 * Knows the callback tokens of runs on other machines, by the digests that the journal in Git holds. An intent is pushed
 * before its request is sent, so a callback that is not known yet is known after the next look.
 *
 * @returns true for the digest of an attempt's token; false also while the remote cannot be read
 */
export function sharedTokens(place: StatePlace): (digest: Digest) => Promise<boolean> {
  let state: LineageState | undefined;
  let lookedMs = -LOOK_MS;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    await SYSTEM_CLOCK.sleep(Math.max(0, lookedMs + LOOK_MS - SYSTEM_CLOCK.nowMs()));
    // What was known stays known when the remote is away.
    state = await openState(place).then(
      (found) => found.state,
      () => state,
    );
    lookedMs = SYSTEM_CLOCK.nowMs();
  };
  return async (digest) => {
    if (state?.stepOfToken(digest) !== undefined) return true;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    await looking;
    return state?.stepOfToken(digest) !== undefined;
  };
}
