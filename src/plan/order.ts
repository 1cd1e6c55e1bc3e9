import type { ResourceId } from '../model/id.js';
import type { Draft, Edge } from './draft.js';
import { child, integerOf, type PlanNode, type Span } from './node.js';
import type { Problems } from './problems.js';

/** Resources among which an explicit `order` counts; those without one are not listed. */
export type OrderGroup = readonly { readonly id: ResourceId; readonly order: number; readonly at: Span }[];

/** The member that a resource's node makes: one when it has an `order`, else none. */
export function orderMembers(id: ResourceId, node: PlanNode): OrderGroup {
  const orderNode = child(node, 'order');
  const order = integerOf(orderNode);
  return order === undefined || orderNode === undefined ? [] : [{ id, order, at: orderNode.span }];
}

/**
 * Adds the edges of explicit orders: each resource depends on those of the next lower number in its group. An
 * order that contradicts what the resources need of one another is reported and adds nothing.
 */
export function applyOrder(
  drafts: readonly Draft[],
  groups: readonly OrderGroup[],
  problems: Problems,
): readonly Draft[] {
  const byId = new Map(drafts.map((draft) => [draft.resource.id, draft]));
  const added = new Map<ResourceId, readonly Edge[]>();
  for (const group of groups.filter((members) => members.length > 1)) {
    if (reportConflicts(group, byId, problems)) continue;
    for (const { id, order, at } of group) {
      const lower = Math.max(...group.map((other) => (other.order < order ? other.order : -1)));
      const before = group.filter((other) => other.order === lower && lower < order);
      added.set(
        id,
        before.map((other) => ({ to: other.id, at })),
      );
    }
  }
  return drafts.map((draft) => ({
    ...draft,
    edges: [...draft.edges, ...(added.get(draft.resource.id) ?? [])],
  }));
}

function reportConflicts(
  group: OrderGroup,
  byId: ReadonlyMap<ResourceId, Draft>,
  problems: Problems,
): boolean {
  let found = false;
  for (const { id, order, at } of group) {
    const needed = reachableFrom(id, byId);
    const later = group.find((other) => other.order > order && needed.has(other.id));
    if (later === undefined) continue;
    found = true;
    const message = `${id} has order ${order} but needs ${later.id}, which has order ${later.order}.`;
    problems.report({ code: 'PLAN_ORDER_CONFLICT', at, message });
  }
  return found;
}

function reachableFrom(id: ResourceId, byId: ReadonlyMap<ResourceId, Draft>): ReadonlySet<ResourceId> {
  const seen = new Set<ResourceId>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { to } of byId.get(next)?.edges ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return seen;
}
