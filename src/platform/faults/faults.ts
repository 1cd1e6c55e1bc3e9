import { setTimeout as pause } from 'node:timers/promises';
import type { FaultEvent, RequestEvent } from './decide.js';
import { Replay, Rules, type Decider, type Decision, type RuleInForce } from './decisions.js';
import type { FaultLog } from './fault-log.js';
import type { KeptRules, RuleKeeper } from './kept-rules.js';
import { checkBeside, named, RuleRefused } from './beside.js';
import type { CallbackFault, FaultRule, FaultRules, RequestFault } from './rules.js';

/** What decisions need from outside. */
export interface FaultsParts {
  readonly log: FaultLog;
  readonly keeper: RuleKeeper;
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
  /** Whether its rules and their counts outlive the platform's process. */
  readonly kept: boolean;
  /** By rule, how often it was matched when that was last kept. */
  readonly counted: Map<string, number>;
  seq: number;
}

/**
 * Faults on demand: what each organisation has set, and what was decided. Rules are in force until they are cleared,
 * also after a restart; those of the start, and a replayed log, until the platform stops. An organisation's rules are about its own requests and callbacks; those of the operator may
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

  /** How many rules of an organisation are in force again from before the platform's start. */
  resumed(owner: string): number {
    const { kept = false, decider } = this.#sessions.get(owner) ?? {};
    return kept ? (decider?.rules().length ?? 0) : 0;
  }

  /** Decisions of an organisation's session, at most `limit`, the newest last. */
  logged(owner: string, limit = KEPT): readonly Logged[] {
    return this.#sessions.get(owner)?.logged.slice(-limit) ?? [];
  }

  /**
   * Puts rules in force beside those that are; the first ones begin a session with their seed, and with none a drawn
   * one.
   *
   * @throws RuleRefused, and none of them is in force
   */
  async add(owner: string, given: FaultRules): Promise<void> {
    this.#put(owner, given, { everyone: false, kept: true });
    if (this.#sessions.get(owner)?.kept === true) await this.#keep(owner);
  }

  /** Puts the rules of the platform's start in force, about everyone unless they name whom. @throws RuleRefused */
  begin(owner: string, given: FaultRules): void {
    this.#put(owner, given, { everyone: true, kept: false });
  }

  /** Puts in force again what was when the platform ended: a new session, whose counts go on. */
  resume(owner: string, { seed, rules }: KeptRules): void {
    const decider = new Rules(seed);
    for (const { name, rule, ...counts } of rules) decider.add({ ...rule, name }, counts);
    this.#begin(owner, decider, true);
  }

  #put(
    owner: string,
    given: FaultRules,
    { everyone, kept }: { readonly everyone: boolean; readonly kept: boolean },
  ): void {
    const { seed, rules } = given;
    const running = this.#sessions.get(owner)?.decider;
    const before = running instanceof Rules ? running : undefined;
    if (before !== undefined) checkBeside(before, given);
    if (rules.length + (before?.rules().length ?? 0) > MOST_RULES)
      throw new RuleRefused(`At most ${String(MOST_RULES)} rules are in force at a time.`);
    const scoped = rules.map((rule) => this.#scoped(owner, rule, everyone ? '*' : owner));
    const decider = before ?? new Rules(seed ?? this.#parts.draw());
    if (before === undefined) this.#begin(owner, decider, kept);
    for (const rule of named(scoped, decider)) decider.add(rule);
  }

  /** Decides from now on as a log says, in place of what was set. @throws RuleRefused when it is another's log */
  async replay(owner: string, decisions: readonly Decision[]): Promise<void> {
    this.rehearse(owner, decisions);
    await this.#keep(owner);
  }

  /** The same at the platform's start: what was kept stays kept. @throws RuleRefused when it is another's log */
  rehearse(owner: string, decisions: readonly Decision[]): void {
    const foreign = decisions.find(({ stream }) => !stream.startsWith(`${owner} `));
    if (foreign && owner !== this.#parts.operator)
      throw new RuleRefused('The log is of another organisation.');
    this.#begin(owner, new Replay(decisions), false);
  }

  /** Takes one rule, or everything that an organisation has set, out of force. False: there is no such rule. */
  async clear(owner: string, name?: string): Promise<boolean> {
    const { decider, kept = false } = this.#sessions.get(owner) ?? {};
    if (name === undefined) this.#sessions.delete(owner);
    else {
      if (!(decider instanceof Rules) || !decider.remove(name)) return false;
      if (decider.rules().length === 0) this.#sessions.delete(owner);
    }
    if (kept || name === undefined) await this.#keep(owner);
    return true;
  }

  /** False while nothing can befall anything. */
  get any(): boolean {
    return this.#sessions.size > 0;
  }

  /**
   * What befalls an event, by its own organisation's rules first; undefined: nothing. It is logged, and its counts are
   * kept, before it takes effect.
   */
  async befalling<Event extends FaultEvent>(event: Event): Promise<FaultOf<Event> | undefined> {
    const { operator } = this.#parts;
    const own = this.#decide(event.org, event);
    const isOwn = own?.fault || event.org === operator;
    const decision = isOwn ? own : this.#decide(operator, event);
    await Promise.all([this.#count(event.org), isOwn ? undefined : this.#count(operator)]);
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

  #begin(owner: string, decider: Decider, kept: boolean): void {
    this.#begun += 1;
    const name = `${owner} ${String(this.#parts.now())}-${String(this.#begun)}`;
    this.#sessions.set(owner, { name, decider, logged: [], kept, counted: new Map(), seq: 0 });
  }

  /** Keeps what an organisation has set by now; what the start set is not kept. */
  async #keep(owner: string): Promise<void> {
    await this.#parts.keeper.keep(owner, () => {
      const { decider, kept } = this.#sessions.get(owner) ?? {};
      return decider instanceof Rules && kept === true
        ? { seed: decider.seed, rules: decider.rules() }
        : undefined;
    });
  }

  /** Keeps the counts of the rules that were matched since they were kept. */
  async #count(owner: string): Promise<void> {
    const session = this.#sessions.get(owner);
    if (session?.kept !== true) return;
    const { counted } = session;
    const moved = session.decider.rules().filter(({ name, matched }) => counted.get(name) !== matched);
    for (const { name, matched } of moved) counted.set(name, matched);
    if (moved.length > 0) await this.#parts.keeper.count(owner, moved);
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
