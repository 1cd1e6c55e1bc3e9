import type { ResourceId } from './id.js';
import type { AnyResource } from './resource.js';

const maps = new WeakMap<readonly AnyResource[], ReadonlyMap<ResourceId, AnyResource>>();

/** The resources of a plan by their ids. Made once for each list: a plan may have very many. */
export function resourcesById(resources: readonly AnyResource[]): ReadonlyMap<ResourceId, AnyResource> {
  const known = maps.get(resources);
  if (known !== undefined) return known;
  const made = new Map<ResourceId, AnyResource>();
  for (const resource of resources) made.set(resource.id, resource);
  maps.set(resources, made);
  return made;
}
