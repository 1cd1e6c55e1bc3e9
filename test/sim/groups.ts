import type { ResourceId } from '../../src/model/id.js';
import type { Plan } from '../../src/model/plan.js';
import { sentText } from '../support/builders.js';
import { groupOf } from './truth.js';

/** The steps of a plan by what they ask for; those that ask for the same share a group. */
export interface Groups {
  readonly of: (id: ResourceId) => string | undefined;
  readonly members: ReadonlyMap<string, readonly ResourceId[]>;
}

const known = new WeakMap<Plan, Groups>();

/** The groups of a plan. */
export function groupsOf(plan: Plan): Groups {
  const earlier = known.get(plan);
  if (earlier !== undefined) return earlier;
  const byId = new Map(plan.resources.map((resource) => [resource.id as string, resource]));
  const nameOfToken = (id: string): string => {
    const inputs = byId.get(id)?.inputs;
    if (inputs === undefined || !('name' in inputs)) return id;
    return typeof inputs.name === 'string' ? inputs.name : sentText(inputs.name);
  };
  const groups = new Map<ResourceId, string>();
  const members = new Map<string, ResourceId[]>();
  for (const resource of plan.resources) {
    const group = groupOf(resource, nameOfToken);
    if (group === undefined) continue;
    groups.set(resource.id, group);
    members.set(group, [...(members.get(group) ?? []), resource.id]);
  }
  const made: Groups = { of: (id) => groups.get(id), members };
  known.set(plan, made);
  return made;
}
