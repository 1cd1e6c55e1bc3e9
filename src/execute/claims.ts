import { kindOf, type KindName, type ResourceId, type StepId } from '../model/id.js';
import { idText } from '../kinds/listing.js';
import { isJsonObject, type Json } from '../model/json.js';
import type { JournalEvent, Outputs } from '../state/event.js';
import type { LineageState } from '../state/project.js';

/** Outputs that belong to one resource alone, so that they can prove one step only. */
const UNIQUE = ['address', 'transaction', 'id'] as const;

/**
 * Which step a transaction, an address or an id proves. Reads show the effects of all steps alike, and one effect must
 * prove one step: without this, two records with equal metadata would both be found in one transaction.
 */
export class Claims {
  /** Step by kind and name; `''` for what entered the lock without a step. */
  readonly #owners = new Map<string, StepId | ''>();
  /** What the service itself told an attempt in its answer, which is the attempt's own whoever else has it. */
  readonly #told = new Map<StepId, ReadonlySet<string>>();

  /** The claims of everything that a journal says. */
  constructor(state: LineageState) {
    for (const { id, outputs, step } of state.lock?.entries.values() ?? [])
      this.#claim(keysOf(id, outputs), step ?? '');
    for (const attempt of state.attempts.values()) {
      for (const event of [attempt.answered, attempt.settled, attempt.resolved, ...attempt.duplicates])
        if (event !== undefined) this.apply(event, attempt.resources[0]);
    }
  }

  /** Follows the journal. @param resource the first resource of the attempt that the event is about */
  apply(event: JournalEvent, resource?: ResourceId): void {
    if (event.type === 'step-answered' && resource !== undefined) this.#answer(event, resource);
    if (event.type === 'step-duplicated') this.#claimAll(event.facts['outputs'], event.step);
    if (event.type === 'resource-adopted') this.#claim(keysOf(event.id, event.outputs), event.step ?? '');
    if (event.type !== 'step-settled' && event.type !== 'step-resolved') return;
    this.#claimAll(event.outputs, event.step);
  }

  /** True when a name of this kind proves any step, or is a second effect that is known. */
  isOwned(kind: KindName, name: string): boolean {
    return this.#owners.has(keyOf(kind, name));
  }

  /** True when a name of this kind proves another step. */
  isTaken(kind: KindName, name: string, step: StepId): boolean {
    return this.#isTaken(keyOf(kind, name), step);
  }

  #isTaken(key: string, step: StepId): boolean {
    const owner = this.#owners.get(key);
    return owner !== undefined && owner !== step && this.#told.get(step)?.has(key) !== true;
  }

  /**
   * Reserves what a verdict is about to settle.
   *
   * @returns false when part of it proves another step already; then nothing is reserved
   */
  take(step: StepId, made: Readonly<Record<ResourceId, Outputs>>): boolean {
    const entries = Object.entries(made) as [ResourceId, Outputs][];
    const keys = entries.flatMap(([id, outputs]) => keysOf(id, outputs));
    if (keys.some((key) => this.#isTaken(key, step))) return false;
    this.#claim(keys, step);
    return true;
  }

  #claimAll(made: Json | undefined, step: StepId): void {
    for (const [id, outputs] of Object.entries(isJsonObject(made) ? made : {}))
      if (isJsonObject(outputs)) this.#claim(keysOf(id as ResourceId, outputs), step);
  }

  #answer({ step, ids = {} }: Extract<JournalEvent, { type: 'step-answered' }>, resource: ResourceId): void {
    const { transactionHash, ...outputs } = ids;
    const hash = idText(transactionHash);
    const told = { ...outputs, ...(hash !== undefined && { transaction: hash }) } as Outputs;
    const keys = keysOf(resource, told);
    if (keys.length === 0) return;
    this.#told.set(step, new Set(keys));
    this.#claim(keys, step);
  }

  /** The first owner stays: a confirmed outcome is never taken back. */
  #claim(keys: readonly string[], step: StepId | ''): void {
    for (const key of keys) if (!this.#owners.has(key)) this.#owners.set(key, step);
  }
}

function keysOf(resource: ResourceId, outputs: Outputs): readonly string[] {
  const keys: string[] = [];
  for (const name of UNIQUE) {
    const text = idText(outputs[name]);
    if (text !== undefined) keys.push(keyOf(kindOf(resource), text));
  }
  return keys;
}

function keyOf(kind: KindName, name: string): string {
  return `${kind}/${name.toLowerCase()}`;
}
