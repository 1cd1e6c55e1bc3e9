import { digestOf } from '../model/canonical.js';
import { kindOf, type ResourceId } from '../model/id.js';
import { fillPlaceholders } from '../model/value.js';
import type { Attempt } from './attempt.js';
import type { AttemptBook } from './attempt-book.js';
import { roomFor } from './columns.js';
import { LazyMap } from './lazy-map.js';
import type { Grade, Outputs, ResourceAdopted } from './event.js';
import { renamedEntry, type LockEntry } from './lock.js';
import { PackedEntry } from './packed-entry.js';
import type { ResourceIndex } from './resource-index.js';

/** What stands for an entry that is kept as an object, where others have the number of their attempt plus 1. */
const OBJECT = 0xffffffff;

/** What an entry of the lock is known by. */
export type LockedOutputs = Pick<LockEntry, 'id' | 'outputs' | 'step'>;

/** The entries of the lock in the order in which they entered it. What a packed attempt made is read from it. */
export class EntryBook extends LazyMap<ResourceId, LockEntry> {
  readonly #resources: ResourceIndex;
  readonly #attempts: AttemptBook;
  readonly #objects = new Map<ResourceId, LockEntry>();
  /** By number of the resource: 0 for none. */
  #makers = new Uint32Array(64);
  /** By number of the resource: its place in the order. */
  #places = new Uint32Array(64);
  /** The number of a resource plus 1; 0 for one that left. */
  #order = new Uint32Array(64);
  #ordered = 0;
  #size = 0;

  constructor(resources: ResourceIndex, attempts: AttemptBook) {
    super();
    this.#resources = resources;
    this.#attempts = attempts;
  }

  get size(): number {
    return this.#size;
  }

  has(id: ResourceId): boolean {
    return this.#makerOf(this.#resources.find(id)) !== 0;
  }

  get(id: ResourceId): LockEntry | undefined {
    const maker = this.#makerOf(this.#resources.find(id));
    return maker === 0 ? undefined : this.#entry(id, maker);
  }

  *keys(): Generator<ResourceId, undefined> {
    for (let place = 0; place < this.#ordered; place += 1) {
      const number = (this.#order[place] ?? 0) - 1;
      if (number >= 0) yield this.#resources.idOf(number);
    }
  }

  *values(): Generator<LockEntry, undefined> {
    for (const [, entry] of this.entries()) yield entry;
  }

  *entries(): Generator<[ResourceId, LockEntry], undefined> {
    for (let place = 0; place < this.#ordered; place += 1) {
      const number = (this.#order[place] ?? 0) - 1;
      if (number < 0) continue;
      const id = this.#resources.idOf(number);
      const entry = this.#entry(id, this.#makerOf(number));
      if (entry !== undefined) yield [id, entry];
    }
  }

  /** What the entries are known by, without the rest of them. */
  *outputs(): Generator<LockedOutputs, undefined> {
    for (const id of this.keys()) {
      const maker = this.#makerOf(this.#resources.find(id));
      const object = maker === OBJECT ? this.#objects.get(id) : undefined;
      if (object !== undefined) yield object;
      else {
        const attempt = maker - 1;
        yield { id, step: this.#attempts.stepOf(attempt), outputs: this.#attempts.packed.outputsOf(attempt) };
      }
    }
  }

  /** True when the entry of a resource is what the packed attempt with this number made. */
  isMadeBy(id: ResourceId, attempt: number): boolean {
    return this.#makerOf(this.#resources.find(id)) === attempt + 1;
  }

  /** Enters an entry, or puts it in the place of the one before. */
  set(entry: LockEntry): void {
    this.#objects.set(entry.id, entry);
    this.#enter(this.#resources.numberOf(entry.id), OBJECT);
  }

  /** Enters what an attempt made. @returns 1 when that changed the lock, else 0 */
  enter(
    { step, inputs }: Attempt,
    outputs: Readonly<Record<ResourceId, Outputs>>,
    how: { readonly grade: Grade; readonly at: string },
  ): 0 | 1 {
    const made = Object.keys(outputs) as ResourceId[];
    for (const id of made) {
      // Contracts of one request may name each other; their addresses came with the outcome.
      const filled = fillPlaceholders(inputs[id] ?? null, (sibling) => outputs[sibling]?.address);
      this.set({
        id,
        kind: kindOf(id),
        inputs: filled,
        digest: digestOf(filled),
        outputs: outputs[id] ?? {},
        grade: how.grade,
        at: how.at,
        step,
      });
    }
    return made.length > 0 ? 1 : 0;
  }

  /** Enters what is taken over. */
  adopt({ id, inputs, outputs, grade, at, step }: ResourceAdopted): void {
    const entry = { id, kind: kindOf(id), inputs, digest: digestOf(inputs), outputs, grade, at };
    this.set(step === undefined ? entry : { ...entry, step });
  }

  /** Gives an entry another id. @returns whether there was one */
  move(from: ResourceId, to: ResourceId): boolean {
    const entry = this.get(from);
    if (entry === undefined) return false;
    this.delete(from);
    this.set(renamedEntry(entry, to));
    return true;
  }

  /** Enters what a packed attempt made. */
  link(resource: number, attempt: number): void {
    if (this.#makerOf(resource) === OBJECT) this.#objects.delete(this.#resources.idOf(resource));
    this.#enter(resource, attempt + 1);
  }

  /** @returns whether there was an entry */
  delete(id: ResourceId): boolean {
    const number = this.#resources.find(id);
    if (this.#makerOf(number) === 0) return false;
    this.#objects.delete(id);
    this.#makers[number] = 0;
    this.#order[this.#places[number] ?? 0] = 0;
    this.#size -= 1;
    return true;
  }

  #enter(number: number, maker: number): void {
    this.#makers = roomFor(this.#makers, number);
    this.#places = roomFor(this.#places, number);
    const isNew = this.#makerOf(number) === 0;
    this.#makers[number] = maker;
    if (!isNew) return;
    this.#order = roomFor(this.#order, this.#ordered);
    this.#order[this.#ordered] = number + 1;
    this.#places[number] = this.#ordered;
    this.#ordered += 1;
    this.#size += 1;
  }

  #makerOf(number: number): number {
    return number < 0 ? 0 : (this.#makers[number] ?? 0);
  }

  #entry(id: ResourceId, maker: number): LockEntry | undefined {
    if (maker === OBJECT) return this.#objects.get(id);
    return new PackedEntry(id, this.#attempts, maker - 1);
  }
}
