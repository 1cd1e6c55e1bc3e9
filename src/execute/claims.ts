import { kindOf, type KindName, type ResourceId, type StepId } from '../model/id.js';
import { idText } from '../kinds/listing.js';
import { isJsonObject, withMembers, type Json, type JsonObject } from '../model/json.js';
import type { JournalEvent, Outputs } from '../state/event.js';
import type { LineageState } from '../state/project.js';

/** What belongs to one step alone, in outputs and in answers, so that it can prove one step only. */
const UNIQUE = ['address', 'transaction', 'id', 'deploymentId'] as const;

/** The step that each name of one kind proves. */
type Owners = Map<string, StepId | ''>;

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
  /** Step by name, by kind; `''` for what entered the lock without a step. Undefined until somebody asks. */
  #owners: Map<KindName, Owners> | undefined;

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
      this.#claim(resource, toldIn(event.ids), event.step);
    if (event.type === 'step-duplicated') this.#claimAll(event.facts['outputs'], event.step);
    if (event.type === 'resource-adopted') this.#claim(event.id, event.outputs, event.step ?? '');
    if (event.type !== 'step-settled' && event.type !== 'step-resolved') return;
    this.#claimAll(event.outputs, event.step);
  }

  /** True when a name of this kind proves any step, or is a second effect that is known. */
  isOwned(kind: KindName, name: string): boolean {
    return this.#of(kind).has(name.toLowerCase());
  }

  /** True when a name of this kind proves another step. */
  isTaken(kind: KindName, name: string, step: StepId): boolean {
    const owner = this.#of(kind).get(name.toLowerCase());
    return owner !== undefined && owner !== step;
  }

  /**
   * Reserves what a verdict is about to settle.
   *
   * @returns false when part of it proves another step already; then nothing is reserved
   */
  take(step: StepId, made: Readonly<Record<ResourceId, Outputs>>): boolean {
    const ids = Object.keys(made) as ResourceId[];
    const claims = ids.map((id) => ({ kind: kindOf(id), names: namesIn(made[id]) }));
    for (const { kind, names } of claims)
      if (names.some((name) => this.isTaken(kind, name, step))) return false;
    for (const { kind, names } of claims) this.#own(kind, names, step);
    return true;
  }

  /**
   * True when an answer's ids name what proves another step, or was told to one: something on the way gave one answer to two
   * requests, and nobody knows whose it is.
   *
   * @param resource the first that the attempt makes
   */
  isToldElsewhere(step: StepId, resource: ResourceId, ids: JsonObject): boolean {
    return namesIn(toldIn(ids)).some((name) => this.isTaken(kindOf(resource), name, step));
  }

  #claimAll(made: Json | undefined, step: StepId): void {
    if (!isJsonObject(made)) return;
    for (const id of Object.keys(made) as ResourceId[]) {
      const outputs = made[id];
      if (isJsonObject(outputs)) this.#claim(id, outputs, step);
    }
  }

  /** The first owner stays: a confirmed outcome is never taken back. */
  #claim(id: ResourceId, outputs: Outputs | undefined, step: StepId | ''): void {
    const names = namesIn(outputs);
    if (names.length > 0) this.#own(kindOf(id), names, step);
  }

  #own(kind: KindName, names: readonly string[], step: StepId | ''): void {
    const owners = this.#of(kind);
    for (const name of names) if (!owners.has(name)) owners.set(name, step);
  }

  #of(kind: KindName): Owners {
    const known = this.#all().get(kind);
    if (known !== undefined) return known;
    const owners: Owners = new Map();
    this.#all().set(kind, owners);
    return owners;
  }

  #all(): Map<KindName, Owners> {
    if (this.#owners !== undefined) return this.#owners;
    const all = new Map<KindName, Owners>();
    this.#owners = all;
    for (const { id, outputs, step } of this.#state.lockedOutputs()) this.#claim(id, outputs, step ?? '');
    for (const { step, resource, ids, made } of this.#state.traces()) {
      if (resource !== undefined) this.#claim(resource, toldIn(ids), step);
      for (const outputs of made) this.#claimAll(outputs, step);
    }
    return all;
  }
}

/** The names in an answer's ids, under the names of outputs. */
function toldIn(ids: JsonObject = {}): Outputs {
  const { transactionHash, ...outputs } = ids;
  const hash = idText(transactionHash);
  return hash === undefined ? outputs : withMembers(outputs, { transaction: hash });
}

/** What outputs are known by, in lower case. */
function namesIn(outputs: Outputs = {}): readonly string[] {
  const names: string[] = [];
  for (const member of UNIQUE) {
    const text = idText(outputs[member]);
    if (text !== undefined) names.push(text.toLowerCase());
  }
  return names;
}
