import type { ResourceId } from '../model/id.js';
import type { AnyResource, Resource } from '../model/resource.js';
import { isPlaceholder, referencesOf } from '../model/value.js';
import type { DeployedInputs } from '../kinds/contract.js';

type Deploying = Resource<'contract'> & { readonly inputs: DeployedInputs };

/**
 * Groups resources into requests: contracts of one deployment share a request unless the service's token could not
 * express what they need of one another; then, and everything else, one request each. In the order of `resources`,
 * a shared request at the place of its first contract.
 *
 * @param alone deployments whose contracts must not share
 */
export function groupRequests(
  resources: readonly AnyResource[],
  alone: ReadonlySet<ResourceId>,
): readonly (readonly AnyResource[])[] {
  const members = new Map<ResourceId, Deploying[]>();
  for (const resource of resources.filter(isDeploying)) {
    const { deployment } = resource.inputs;
    const group = members.get(deployment);
    if (group === undefined) members.set(deployment, [resource]);
    else group.push(resource);
  }
  const shared = [...members].filter(([deployment, group]) => !alone.has(deployment) && canShare(group));
  const groupOf = new Map(shared.flatMap(([, group]) => group.map(({ id }) => [id, group] as const)));
  return resources.flatMap((resource) => {
    const group = groupOf.get(resource.id);
    if (group === undefined) return [[resource]];
    return group[0]?.id === resource.id ? [group] : [];
  });
}

/**
 * The service knows a contract of the request by its Solidity name, so two instances of one contract cannot share, nor
 * one whose name several sources define; and it replaces a token only where it is a whole top-level parameter, as its
 * sample shows.
 */
function canShare(group: readonly Deploying[]): boolean {
  const ids = new Set(group.map(({ id }) => id));
  const names = new Set(group.map(({ inputs }) => inputs.contract));
  const isNamed = ({ inputs }: Deploying): boolean =>
    inputs.source === undefined && isExpressible(inputs, ids);
  return group.length > 1 && names.size === group.length && group.every(isNamed);
}

function isExpressible({ params }: DeployedInputs, siblings: ReadonlySet<ResourceId>): boolean {
  return Object.values(params).every((value) => {
    const whole = isPlaceholder(value) && value.$placeholder.length === 1;
    return whole || referencesOf(value).every((id) => !siblings.has(id));
  });
}

function isDeploying(resource: AnyResource): resource is Deploying {
  return resource.kind === 'contract' && 'deployment' in resource.inputs;
}
