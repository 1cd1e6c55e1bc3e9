import { kindOf, parseResourceId, type ResourceId } from '../model/id.js';
import type { Drafting } from './draft.js';
import { suggestName } from './nearest.js';
import { child, entriesOf, scalarOf, type PlanNode, type Span } from './node.js';

/** Reads renamed resources, old id → new id: the old must be gone, the new declared and of the same kind. */
export function readMoved(document: PlanNode, drafting: Drafting): Readonly<Record<string, ResourceId>> {
  const declared = new Set(drafting.drafts.map(({ resource }) => resource.id));
  const moved: Record<string, ResourceId> = {};
  const report = (at: Span, message: string, fix?: string): void => {
    drafting.problems.report({ code: 'PLAN_MOVED', at, message, ...(fix && { fix }) });
  };
  for (const { key, keySpan, value } of entriesOf(child(document, 'moved'))) {
    const to = scalarOf(value);
    const old = parseResourceId(key);
    if (old === undefined)
      report(keySpan, `"${key}" is no resource id.`, 'Write KIND.NAME, e.g. contract.core.Token.');
    else if (declared.has(key as ResourceId)) report(keySpan, `${key} is still declared in the plan.`);
    if (to === undefined) continue;
    const id = to.text as ResourceId;
    const sameKind = [...declared].filter((one) => old === undefined || kindOf(one) === old.kind);
    if (!declared.has(id))
      report(to.span, `The plan declares no ${to.text}.`, suggestName(to.text, sameKind));
    else if (!sameKind.includes(id)) report(to.span, `${key} and ${to.text} are of different kinds.`);
    else if (Object.values(moved).includes(id)) report(to.span, `Two resources are moved to ${to.text}.`);
    else if (old !== undefined) moved[key] = id;
  }
  return moved;
}
