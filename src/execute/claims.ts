import { kindOf, type KindName, type ResourceId, type StepId } from '../model/id.js';
import { idText } from '../kinds/listing.js';
import { isJsonObject, withMembers, type Json, type JsonObject } from '../model/json.js';
import type { JournalEvent, Outputs } from '../state/event.js';
import type { LineageState } from '../state/project.js';

/** Outputs that belong to one resource alone, so that they can prove one step only. */
const UNIQUE = ['address', 'transaction', 'id'] as const;

/** Events that name something. */
const CLAIMING: ReadonlySet<JournalEvent['type']> = new Set([
  'step-answered',
  'step-settled',
  'step-resolved',
  'step-duplicated',
  'resource-adopted',
]);

/**
 * Which step a transaction, an address or an id proves. Reads show the effects of all steps alike, and one effect must
 * prove one step: without this, two records with equal metadata would both be found in one transaction.
 */
export class Claims {
  readonly #state: LineageState;
  /** Step by kind and name; `''` for what entered the lock without a step. Undefined until somebody asks. */
  #owners: Map<string, StepId | ''> | undefined;

  /** The claims of everything that a journal says. They are gathered when they are first needed: there may be very many. */
  constructor(state: LineageState) {
    this.#state = state;
  }

  /** To be called before the state takes an event in, so that what it names comes after what others named before. */
  expect({ type }: JournalEvent): void {
    if (CLAIMING.has(type)) this.#all();
  }

  /** Follows the journal. @param resource the first resource of the attempt that the event is about */
  apply(event: JournalEvent, resource?: ResourceId): void {
    if (event.type === 'step-answered' && resource !== undefined)
      this.#claim(keysOf(resource, toldIn(event.ids)), event.step);
    if (event.type === 'step-duplicated') this.#claimAll(event.facts['outputs'], event.step);
    if (event.type === 'resource-adopted') this.#claim(keysOf(event.id, event.outputs), event.step ?? '');
    if (event.type !== 'step-settled' && event.type !== 'step-resolved') return;
    this.#claimAll(event.outputs, event.step);
  }

  /** True when a name of this kind proves any step, or is a second effect that is known. */
  isOwned(kind: KindName, name: string): boolean {
    return this.#all().has(keyOf(kind, name));
  }

  /** True when a name of this kind proves another step. */
  isTaken(kind: KindName, name: string, step: StepId): boolean {
    return this.#isTaken(keyOf(kind, name), step);
  }

  #isTaken(key: string, step: StepId): boolean {
    const owner = this.#all().get(key);
    return owner !== undefined && owner !== step && !this.#isTold(key, step);
  }

  /**
   * Reserves what a verdict is about to settle.
   *
   * @returns false when part of it proves another step already; then nothing is reserved
   */
  take(step: StepId, made: Readonly<Record<ResourceId, Outputs>>): boolean {
    const keys: string[] = [];
    for (const id of Object.keys(made) as ResourceId[]) keys.push(...keysOf(id, made[id] ?? {}));
    if (keys.some((key) => this.#isTaken(key, step))) return false;
    this.#claim(keys, step);
    return true;
  }

  #claimAll(made: Json | undefined, step: StepId): void {
    if (!isJsonObject(made)) return;
    for (const id of Object.keys(made) as ResourceId[]) {
      const outputs = made[id];
      if (isJsonObject(outputs)) this.#claim(keysOf(id, outputs), step);
    }
  }

  /** True for what the service itself told an attempt in its answer, which is the attempt's own whoever else has it. */
  #isTold(key: string, step: StepId): boolean {
    const attempt = this.#state.attempts.get(step);
    const [resource] = attempt?.resources ?? [];
    return resource !== undefined && keysOf(resource, toldIn(attempt?.answered?.ids)).includes(key);
  }

  /** The first owner stays: a confirmed outcome is never taken back. */
  #claim(keys: readonly string[], step: StepId | ''): void {
    if (keys.length === 0) return;
    const owners = this.#all();
    for (const key of keys) if (!owners.has(key)) owners.set(key, step);
  }

  #all(): Map<string, StepId | ''> {
    if (this.#owners !== undefined) return this.#owners;
    const owners = new Map<string, StepId | ''>();
    this.#owners = owners;
    for (const { id, outputs, step } of this.#state.lockedOutputs())
      this.#claim(keysOf(id, outputs), step ?? '');
    for (const { step, resource, ids, made } of this.#state.traces()) {
      if (resource !== undefined) this.#claim(keysOf(resource, toldIn(ids)), step);
      for (const outputs of made) this.#claimAll(outputs, step);
    }
    return owners;
  }
}

/** The names in an answer's ids, under the names of outputs. */
function toldIn(ids: JsonObject = {}): Outputs {
  const { transactionHash, ...outputs } = ids;
  const hash = idText(transactionHash);
  return hash === undefined ? outputs : withMembers(outputs, { transaction: hash });
}

function keysOf(resource: ResourceId, outputs: Outputs): readonly string[] {
  const keys: string[] = [];
  const kind = kindOf(resource);
  for (const name of UNIQUE) {
    const text = idText(outputs[name]);
    if (text !== undefined) keys.push(keyOf(kind, text));
  }
  return keys;
}

function keyOf(kind: KindName, name: string): string {
  return `${kind}/${name.toLowerCase()}`;
}
