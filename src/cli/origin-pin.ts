import { lockedTargets, pinnedTarget } from '../disk/pinned-target.js';
import type { StatePlace } from '../disk/state-paths.js';
import type { Digest } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { keysOf } from '../state/target.js';

/**
 * Refuses a plan that names another origin than its lock: whoever changes `base_url` in a pull request must not be sent the
 * credentials of the service that was released to. Asked before a credential is read.
 *
 * @throws LOCK_OTHER_TARGET naming both; LOCK_UNREADABLE, JOURNAL_*, STATE_*
 */
export async function refuseOtherOrigin(place: StatePlace, baseUrl: string): Promise<void> {
  const { origin } = new URL(baseUrl);
  const pinned = await pinnedTarget(place);
  if (pinned === undefined || pinned.origin === origin) return;
  throw new WindlassError(
    'LOCK_OTHER_TARGET',
    `The lock of ${place.environment} belongs to ${pinned.origin}, and base_url of the plan names ${origin}; no credentials were sent.`,
    {
      advice: `Put ${pinned.origin} back into the plan. If the service really moved, move the lockfile and its folder under .windlass/env away, and take over what is there with \`windlass adopt\`.`,
    },
  );
}

/**
 * Refuses credentials at an origin when a lockfile beside the plan shows that they belong to another one: a new environment
 * has no lock of its own that could pin it.
 *
 * @param client digest of the client id in use
 * @throws TARGET_OTHER_ENVIRONMENT
 */
export async function refuseStrayKey(place: StatePlace, baseUrl: string, client: Digest): Promise<void> {
  const { origin } = new URL(baseUrl);
  for (const [name, target] of await lockedTargets(place.root)) {
    if (!keysOf(target).includes(client) || target.origin === origin) continue;
    throw new WindlassError(
      'TARGET_OTHER_ENVIRONMENT',
      `The client id given for ${place.environment} is that of ${target.origin}, as ${name} shows, and base_url names ${origin}; nothing was sent there.`,
      { advice: `Give ${place.environment} credentials of its own, or correct its base_url.` },
    );
  }
}
