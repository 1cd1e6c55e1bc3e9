import { setTimeout as pause } from 'node:timers/promises';
import type { FaultEvent, RequestEvent } from './decide.js';
import { Replay, Rules, type Decider, type Decision, type NamedRule, type RuleInForce } from './decisions.js';
import type { FaultLog } from './fault-log.js';
import type { CallbackFault, FaultRule, FaultRules, RequestFault } from './rules.js';

/** What decisions need from outside. */
export interface FaultsParts {
  readonly log: FaultLog;
  /** Milliseconds since 1970, by the platform's clock. */
  readonly now: () => number;
  /** A whole number from 0 to 2^32 - 1, each time another: the seed of rules that come without one. */
  readonly draw: () => number;
  /** The organisation whose rules may be about others. */
  readonly operator: string;
}

/** A decision with its running number in its session, from 1, and its time in milliseconds since 1970. */
export interface Logged extends Decision {
  readonly seq: number;
  readonly at: number;
}

/** What one organisation has set. */
export interface FaultState {
  /** Undefined while nothing is set, and while a log is replayed. */
  readonly seed: number | undefined;
  readonly replaying: boolean;
  readonly rules: readonly RuleInForce[];
}

/** Why rules are not taken. */
export class RuleRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RuleRefused';
  }
}

/** What may befall an event of this type. */
type FaultOf<Event extends FaultEvent> = Event extends RequestEvent ? RequestFault : CallbackFault;

/** Rules of one organisation at a time: a page of a document and some by hand. */
const MOST_RULES = 200;

/** Decisions of a session that are kept in memory. */
const KEPT = 10_000;

/** From the first rule to the last: events are counted, and decided, by one decider. */
interface Session {
  readonly name: string;
  readonly decider: Decider;
  readonly logged: Logged[];
  seq: number;
}

/**
 * Faults on demand: what each organisation has set, and what was decided. Rules are in force until they are cleared
 * or the platform stops. An organisation's rules are about its own requests and callbacks; those of the operator may
 * be about any.
 */
export class Faults {
  readonly #parts: FaultsParts;
  readonly #sessions = new Map<string, Session>();
  readonly #leaving = new AbortController();
  #begun = 0;

  constructor(parts: FaultsParts) {
    this.#parts = parts;
  }

  /** What an organisation has set. */
  state(owner: string): FaultState {
    const decider = this.#sessions.get(owner)?.decider;
    const seed = decider instanceof Rules ? decider.seed : undefined;
    return { seed, replaying: decider instanceof Replay, rules: decider?.rules() ?? [] };
  }

  /** Decisions of an organisation's session, at most `limit`, the newest last. */
  logged(owner: string, limit = KEPT): readonly Logged[] {
    return this.#sessions.get(owner)?.logged.slice(-limit) ?? [];
  }

  /**
   * Puts rules in force beside those that are; the first ones begin a session with their seed, and with none a drawn
   * one.
   *
   * @param everyone true: rules that name no organisation are about all of them
   * @throws RuleRefused, and none of them is in force
   */
  add(owner: string, given: FaultRules, everyone = false): void {
    const { seed, rules } = given;
    const running = this.#sessions.get(owner)?.decider;
    const before = running instanceof Rules ? running : undefined;
    if (before !== undefined) checkBeside(before, given);
    if (rules.length + (before?.rules().length ?? 0) > MOST_RULES)
      throw new RuleRefused(`At most ${String(MOST_RULES)} rules are in force at a time.`);
    const scoped = rules.map((rule) => this.#scoped(owner, rule, everyone ? '*' : owner));
    const decider = before ?? new Rules(seed ?? this.#parts.draw());
    if (before === undefined) this.#begin(owner, decider);
    for (const rule of named(scoped, decider)) decider.add(rule);
  }

  /** Decides from now on as a log says, in place of what was set. @throws RuleRefused when it is another's log */
  replay(owner: string, decisions: readonly Decision[]): void {
    const foreign = decisions.find(({ stream }) => !stream.startsWith(`${owner} `));
    if (foreign && owner !== this.#parts.operator)
      throw new RuleRefused('The log is of another organisation.');
    this.#begin(owner, new Replay(decisions));
  }

  /** Takes one rule, or everything that an organisation has set, out of force. False: there is no such rule. */
  clear(owner: string, name?: string): boolean {
    if (name === undefined) return this.#sessions.delete(owner) || true;
    const decider = this.#sessions.get(owner)?.decider;
    if (!(decider instanceof Rules) || !decider.remove(name)) return false;
    if (decider.rules().length === 0) this.#sessions.delete(owner);
    return true;
  }

  /** What befalls an event, by its own organisation's rules first; undefined: nothing. It is logged before it counts. */
  befalling<Event extends FaultEvent>(event: Event): FaultOf<Event> | undefined {
    if (this.#sessions.size === 0) return undefined;
    const { operator } = this.#parts;
    const own = this.#decide(event.org, event);
    const decision = own?.fault || event.org === operator ? own : this.#decide(operator, event);
    // Rules and logs are read so: a request's rule has a request's fault.
    return (decision?.fault ?? undefined) as FaultOf<Event> | undefined;
  }

  /** Waits as long as a slow fault says, or until the platform stops. */
  async wait(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#leaving.signal }).catch(() => undefined);
  }

  /** Lets go what waits: the platform stops. */
  leave(): void {
    this.#leaving.abort();
  }

  /** Closes the log. */
  close(): void {
    this.#parts.log.close();
  }

  #decide(owner: string, event: FaultEvent): Decision | undefined {
    const session = this.#sessions.get(owner);
    const decision = session?.decider.next(event);
    if (session === undefined || decision === undefined) return undefined;
    const at = this.#parts.now();
    session.seq += 1;
    this.#parts.log.write(decision, { session: session.name, at });
    session.logged.push({ ...decision, seq: session.seq, at });
    if (session.logged.length > KEPT) session.logged.shift();
    return decision;
  }

  #begin(owner: string, decider: Decider): void {
    this.#begun += 1;
    const name = `${owner} ${String(this.#parts.now())}-${String(this.#begun)}`;
    this.#sessions.set(owner, { name, decider, logged: [], seq: 0 });
  }

  /** A rule with its organisation said. */
  #scoped(owner: string, rule: FaultRule, preset: string): FaultRule {
    const { organisation = preset } = rule.request ?? rule.callback ?? {};
    if (organisation !== owner && owner !== this.#parts.operator)
      throw new RuleRefused('A rule is about the organisation that sets it.');
    return {
      ...rule,
      ...(rule.request && { request: { ...rule.request, organisation } }),
      ...(rule.callback && { callback: { ...rule.callback, organisation } }),
    };
  }
}

/** @throws RuleRefused when rules cannot be in force beside those that are */
function checkBeside(before: Rules, { seed, rules }: FaultRules): void {
  if (seed !== undefined && seed !== before.seed)
    throw new RuleRefused('Rules are in force with another seed: clear them first.');
  const taken = new Set(before.rules().map(({ name }) => name));
  const twice = rules.find(({ name }) => name !== undefined && taken.has(name));
  if (twice) throw new RuleRefused(`A rule ${twice.name ?? ''} is in force already.`);
}

/** Rules with a name each: those without one are called by the next number that is free. */
function named(rules: readonly FaultRule[], decider: Rules): readonly NamedRule[] {
  const taken = new Set([...decider.rules(), ...rules].map(({ name }) => name));
  let number = 0;
  const free = (): string => {
    do number += 1;
    while (taken.has(`rule-${String(number)}`));
    return `rule-${String(number)}`;
  };
  return rules.map((rule) => ({ ...rule, name: rule.name ?? free() }));
}
