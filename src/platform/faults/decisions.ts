import { choose, fires, isAbout, streamOf, type Draw, type FaultEvent } from './decide.js';
import { FORGERIES, SHAPES, type Fault, type FaultRule } from './rules.js';

/** What was decided of one event that a rule is about. */
export interface Decision {
  /** Organisation, type and operation or kind of callback. */
  readonly stream: string;
  /** Which event of its stream it is, from 1: the sequence number under which it is replayed. */
  readonly nth: number;
  /** Name of the rule that befell it, or of the first that spared it. */
  readonly rule: string;
  /** Null: it was spared. */
  readonly fault: Fault | null;
}

/** A rule with its name. */
export type NamedRule = FaultRule & { readonly name: string };

/** A rule that is in force. */
export interface RuleInForce {
  readonly name: string;
  readonly rule: FaultRule;
  /** Events that it is about, so far. */
  readonly matched: number;
  /** Those of them that it befell. */
  readonly fired: number;
}

/** Decides of events one after another: the same events in the same order are always decided alike. */
export interface Decider {
  /** What befalls an event; undefined when nothing is said of it. */
  next(event: FaultEvent): Decision | undefined;
  /** The rules; none while a log is replayed. */
  rules(): readonly RuleInForce[];
}

/** Counts events by stream, from 1. */
class Streams {
  readonly #counts = new Map<string, number>();

  next(stream: string): number {
    const nth = (this.#counts.get(stream) ?? 0) + 1;
    this.#counts.set(stream, nth);
    return nth;
  }
}

/** Decides by rules and a seed. Of several rules that would befall an event, the first does. */
export class Rules implements Decider {
  readonly seed: number;
  readonly #streams = new Streams();
  #rules: (RuleInForce & { matched: number; fired: number })[] = [];

  constructor(seed: number) {
    this.seed = seed;
  }

  /** Puts another rule in force, whose name no other has; its counts go on from those given. */
  add(rule: NamedRule, { matched, fired } = { matched: 0, fired: 0 }): void {
    this.#rules.push({ name: rule.name, rule, matched, fired });
  }

  /** Takes a rule out of force. False: there is none of the name. */
  remove(name: string): boolean {
    const before = this.#rules.length;
    this.#rules = this.#rules.filter((rule) => rule.name !== name);
    return this.#rules.length < before;
  }

  /** See {@link Decider}. */
  rules(): readonly RuleInForce[] {
    return this.#rules;
  }

  /** See {@link Decider}. */
  next(event: FaultEvent): Decision | undefined {
    const stream = streamOf(event);
    const nth = this.#streams.next(stream);
    let spared: string | undefined;
    let hit: { readonly name: string; readonly fault: Fault } | undefined;
    for (const one of this.#rules) {
      if (!isAbout(one.rule, event)) continue;
      one.matched += 1;
      spared ??= one.name;
      const draw = { seed: this.seed, rule: one.name, nth: one.matched };
      if (hit !== undefined || !fires(one.rule.when, draw)) continue;
      one.fired += 1;
      hit = { name: one.name, fault: settled(one.rule.fault, draw) };
    }
    if (spared === undefined) return undefined;
    return { stream, nth, rule: hit?.name ?? spared, fault: hit?.fault ?? null };
  }
}

/** Decides as a log says, by stream and number, whatever the rules were. */
export class Replay implements Decider {
  readonly #streams = new Streams();
  readonly #decided: ReadonlyMap<string, Decision>;

  constructor(decisions: readonly Decision[]) {
    this.#decided = new Map(
      decisions.map((decision) => [`${decision.stream} ${String(decision.nth)}`, decision]),
    );
  }

  /** See {@link Decider}. */
  rules(): readonly RuleInForce[] {
    return [];
  }

  /** See {@link Decider}. */
  next(event: FaultEvent): Decision | undefined {
    const stream = streamOf(event);
    return this.#decided.get(`${stream} ${String(this.#streams.next(stream))}`);
  }
}

/** A fault with what the seed was to choose. */
function settled(fault: Fault, draw: Draw): Fault {
  if (fault.kind === 'forged') return { ...fault, as: fault.as ?? choose(draw, 'forged', FORGERIES) };
  if (fault.kind === 'wrong_shape') return { ...fault, as: fault.as ?? choose(draw, 'shape', SHAPES) };
  return fault;
}
