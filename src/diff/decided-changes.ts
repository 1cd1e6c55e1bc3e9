import type { Change } from '../model/change.js';
import type { ResourceId } from '../model/id.js';

/** Ids asked for lately whose answer is kept at hand: the rows of a batch all name one contract. */
const MAX_AT_HAND = 64;

/**
 * The changes of a plan in its order, and by id. They are put in order by id when somebody asks for one that is not at
 * hand: in a large plan most are asked for by nobody, and a map of all of them is dear.
 */
export class DecidedChanges {
  readonly #all: Change[] = [];
  readonly #byId = new Map<ResourceId, Change>();
  readonly #atHand = new Map<ResourceId, Change>();
  /** How many are in the map. */
  #mapped = 0;
  #locked = 0;

  /** In the order in which they were added. */
  get all(): readonly Change[] {
    return this.#all;
  }

  /** How many of them the lock has. */
  get locked(): number {
    return this.#locked;
  }

  /** Adds the change of a resource that has none yet. */
  add(change: Change, isLocked: boolean): void {
    this.#all.push(change);
    if (isLocked) this.#locked += 1;
  }

  /** The change of a resource; undefined while it is not decided. */
  get(id: ResourceId): Change | undefined {
    const known = this.#atHand.get(id);
    if (known !== undefined) return known;
    for (; this.#mapped < this.#all.length; this.#mapped += 1) {
      const change = this.#all[this.#mapped];
      if (change !== undefined) this.#byId.set(change.id, change);
    }
    const found = this.#byId.get(id);
    if (found !== undefined && this.#atHand.size < MAX_AT_HAND) this.#atHand.set(id, found);
    return found;
  }
}
