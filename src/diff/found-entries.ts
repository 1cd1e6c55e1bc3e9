import type { ResourceId } from '../model/id.js';
import type { Plan } from '../model/plan.js';
import { renamedEntry, type LockEntry } from '../state/lock.js';
import type { LineageState } from '../state/project.js';

/** The entries of the lock under the ids that the plan gives them: those that it moves go by their new id. */
export class FoundEntries {
  readonly #entries: ReadonlyMap<ResourceId, LockEntry>;
  /** New id → old id. */
  readonly #moved = new Map<ResourceId, ResourceId>();
  /** Old id → new id. */
  readonly #moves = new Map<ResourceId, ResourceId>();

  constructor(plan: Plan, { lock }: LineageState) {
    this.#entries = lock?.entries ?? new Map<never, LockEntry>();
    for (const [from, to] of Object.entries(plan.moved) as [ResourceId, ResourceId][]) {
      if (!this.#entries.has(from) || this.#entries.has(to)) continue;
      this.#moves.set(from, to);
      this.#moved.set(to, from);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Every id, in the order of the lock. */
  *ids(): Generator<ResourceId, undefined> {
    for (const id of this.#entries.keys()) yield this.#moves.get(id) ?? id;
  }

  /** The id that the lock has for a resource which the plan moves. */
  movedFrom(id: ResourceId): ResourceId | undefined {
    return this.#moved.get(id);
  }

  get(id: ResourceId): LockEntry | undefined {
    const from = this.#moved.get(id);
    if (from === undefined) return this.#moves.has(id) ? undefined : this.#entries.get(id);
    const entry = this.#entries.get(from);
    return entry && renamedEntry(entry, id);
  }
}
