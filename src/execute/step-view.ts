import { invariant } from '../model/error.js';
import type { ResourceId } from '../model/id.js';
import type { PlannedStep } from '../model/change.js';
import type { AnyResource } from '../model/resource.js';
import type { Knowledge } from '../kinds/kind.js';
import { knownAddress } from '../kinds/knowledge.js';
import type { StepView } from '../kinds/operation.js';
import { stepKey } from './step-key.js';

/** What a step is about, as its operation needs it to build the request. */
export class PlannedView implements StepView {
  readonly resources: readonly AnyResource[];
  readonly knowledge: Knowledge;
  readonly #id: ResourceId;
  readonly #lineage: string;

  /** @throws when a resource is not of the plan: a fault of the schedule */
  constructor(
    planned: PlannedStep,
    { knowledge, lineage }: { readonly knowledge: Knowledge; readonly lineage: string },
  ) {
    this.resources = planned.resources.map((id) => {
      const resource = knowledge.resource(id);
      invariant(resource !== undefined, 'a new step is about resources of the plan');
      return resource;
    });
    this.knowledge = knowledge;
    this.#id = planned.id;
    this.#lineage = lineage;
  }

  get key(): string {
    return stepKey(this.#lineage, this.#id);
  }

  /** @throws when an address is not known yet: a fault of the schedule */
  addressOf(id: ResourceId): string {
    const address = knownAddress(this.knowledge, id);
    invariant(address !== undefined, `${id} has an address before it is used`);
    return address;
  }
}
