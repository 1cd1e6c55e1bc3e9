import { invariant } from '../model/error.js';
import type { ResourceId } from '../model/id.js';
import type { PlannedStep } from '../model/change.js';
import type { Knowledge } from '../kinds/kind.js';
import { knownAddress } from '../kinds/knowledge.js';
import type { StepView } from '../kinds/operation.js';
import { stepKey } from './step-key.js';

/**
 * What a step is about, as its operation needs it to build the request.
 *
 * @throws when a resource is not of the plan, or, on demand, when an address is not known yet: faults of the schedule
 */
export function viewOf(
  planned: PlannedStep,
  { knowledge, lineage }: { readonly knowledge: Knowledge; readonly lineage: string },
): StepView {
  const resources = planned.resources.flatMap((id) => knowledge.resource(id) ?? []);
  invariant(resources.length === planned.resources.length, 'a new step is about resources of the plan');
  return {
    resources,
    knowledge,
    get key() {
      return stepKey(lineage, planned.id);
    },
    addressOf: (id) => addressOf(knowledge, id),
  };
}

function addressOf(knowledge: Knowledge, id: ResourceId): string {
  const address = knownAddress(knowledge, id);
  invariant(address !== undefined, `${id} has an address before it is used`);
  return address;
}
