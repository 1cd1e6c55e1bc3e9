import { invariant } from '../model/error.js';
import { knownAddress } from '../kinds/knowledge.js';
import { stepKey } from './step-key.js';
/** What a step is about, as its operation needs it to build the request. */
export class PlannedView {
    resources;
    knowledge;
    #id;
    #lineage;
    /** @throws when a resource is not of the plan: a fault of the schedule */
    constructor(planned, { knowledge, lineage }) {
        this.resources = planned.resources.map((id) => {
            const resource = knowledge.resource(id);
            invariant(resource !== undefined, 'a new step is about resources of the plan');
            return resource;
        });
        this.knowledge = knowledge;
        this.#id = planned.id;
        this.#lineage = lineage;
    }
    get key() {
        return stepKey(this.#lineage, this.#id);
    }
    /** @throws when an address is not known yet: a fault of the schedule */
    addressOf(id) {
        const address = knownAddress(this.knowledge, id);
        invariant(address !== undefined, `${id} has an address before it is used`);
        return address;
    }
}
