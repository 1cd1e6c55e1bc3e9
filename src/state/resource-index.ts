import { parseStepId, stepId, type ResourceId, type StepId } from '../model/id.js';
import type { ByteStore } from './byte-store.js';
import { roomFor } from './columns.js';
import { Names } from './names.js';

/** What is noted of each resource: its newest attempt, and the highest number that an attempt of it had. */
export class ResourceIndex {
  readonly #names: Names;
  /** By number of the resource: the number of its newest attempt plus 1. */
  #latest = new Uint32Array(64);
  #attempts = new Float64Array(64);

  constructor(store: ByteStore) {
    this.#names = new Names(store);
  }

  /** The number of a resource, or -1. */
  find(id: ResourceId): number {
    return this.#names.findText(id);
  }

  /** The number of the resource with these bytes, or -1. @param hash that of the bytes */
  findBytes(bytes: Uint8Array, from: number, to: number, hash?: number): number {
    return this.#names.find(bytes, from, to, hash);
  }

  /** The number of a resource, which is noted when it is new. */
  numberOf(id: ResourceId): number {
    const number = this.#names.numberOf(id);
    this.#grow(number);
    return number;
  }

  /** Notes the resource that {@link findBytes} did not find just now. @param place where its bytes are in the store @returns its number */
  addSought(place: number): number {
    const number = this.#names.addSought(place);
    this.#grow(number);
    return number;
  }

  idOf(number: number): ResourceId {
    return this.#names.text(number) as ResourceId;
  }

  /** The number of the newest attempt, or -1. */
  latestOf(number: number): number {
    return (this.#latest[number] ?? 0) - 1;
  }

  /** @param attempt -1 for none */
  setLatest(number: number, attempt: number): void {
    this.#latest[number] = attempt + 1;
  }

  /** The highest number that an attempt of the resource had; 0 for none. */
  attemptsOf(number: number): number {
    return this.#attempts[number] ?? 0;
  }

  /** Notes the number of an attempt. */
  count(number: number, attempt: number): void {
    if (attempt > this.attemptsOf(number)) this.#attempts[number] = attempt;
  }

  /** Notes the number that the id of a step bears. */
  countStep(step: StepId): void {
    const parsed = parseStepId(step);
    if (parsed !== undefined) this.count(this.numberOf(parsed.id), parsed.attempt);
  }

  /** The id for a new attempt: numbers of attempts made before a journal was lost are not used again. */
  nextStep(id: ResourceId): StepId {
    const number = this.find(id);
    return stepId(id, (number < 0 ? 0 : this.attemptsOf(number)) + 1);
  }

  /** Lets the newest attempt of a resource be that of the id that it was given. */
  move(from: ResourceId, to: ResourceId): void {
    const old = this.numberOf(from);
    const latest = this.latestOf(old);
    if (latest >= 0) this.setLatest(this.numberOf(to), latest);
    this.setLatest(old, -1);
  }

  #grow(number: number): void {
    this.#latest = roomFor(this.#latest, number);
    this.#attempts = roomFor(this.#attempts, number);
  }
}
