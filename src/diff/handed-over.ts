import type { Change } from '../model/change.js';
import { nameOf, type ResourceId } from '../model/id.js';
import type { AnyResource } from '../model/resource.js';
import { referencesOf } from '../model/value.js';

/**
 * A mint into a contract that belongs to somebody else by now: the service would refuse every row, so it is blocked and
 * nothing of the release is sent. Everything else stays as it was decided.
 *
 * @param decided the changes so far, the contract's among them
 */
export function blockHandedOver(
  change: Change,
  resource: AnyResource,
  decided: Pick<ReadonlyMap<ResourceId, Change>, 'get'>,
): Change {
  if (resource.kind !== 'certificate' || change.action !== 'create') return change;
  const [contract] = referencesOf(resource.inputs.contract);
  const handed = contract === undefined ? undefined : decided.get(contract);
  const owner = handed?.drift.find(({ path }) => path === 'owner')?.after;
  if (contract === undefined || typeof owner !== 'string') return change;
  return {
    ...change,
    action: 'blocked',
    irreversible: false,
    reason: `${nameOf(contract)} belongs to ${owner} by now, and only its owner can mint`,
    fix: 'have it handed back; or name the new owner in the plan after `windlass apply --refresh-only`',
  };
}
