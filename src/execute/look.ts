import { isJsonObject, type JsonObject } from '../model/json.js';
import { invariant } from '../model/error.js';
import { kindOf } from '../model/id.js';
import type { Abilities } from '../kinds/kind.js';
import type { Known, Operation, ReadAnswer, ReadRequest, Rival, Verdict } from '../kinds/operation.js';
import { operationNamed } from '../kinds/registry.js';
import { asUnanswered } from '../kinds/transaction.js';
import { isConfirmed, isOpen, type Attempt } from '../state/attempt.js';
import type { Looked } from '../state/event.js';
import { gather } from './gather.js';
import { lookedAt } from './looked.js';
import type { Service } from './ports.js';
import type { Recorder } from './recorder.js';

/** What a look at an attempt's evidence showed. `absent`: every read worked and none showed an effect. */
export interface Sight {
  readonly verdict: Verdict;
  readonly absent: boolean;
  /** Every read and what it showed, for people. */
  readonly looked: readonly Looked[];
}

/** What looking needs besides the attempt. */
export interface Looking {
  /** `unsent` is absent where nothing is sent. */
  readonly recorder: Pick<Recorder, 'state' | 'claims'> & Partial<Pick<Recorder, 'unsent' | 'people'>>;
  readonly abilities: Abilities;
  readonly service: Pick<Service, 'read'>;
  /** What was sent since then may have been delivered a second time since somebody last looked; ISO 8601 UTC. */
  readonly sentSince?: string;
  /** Addresses and transactions, in lower case, that other lineages made: they are no second effects of this one's steps. */
  readonly explained?: ReadonlySet<string>;
}

/**
 * Reads everything that could prove an attempt's outcome now, and judges it. Writes nothing.
 *
 * @returns at once what is judged without reading anything
 */
export function look(attempt: Attempt, late: boolean, looking: Looking): Sight | Promise<Sight> {
  const { abilities, service, recorder } = looking;
  const all = knownOf(attempt, late, recorder);
  const known = isFoundAnew(attempt) ? asUnanswered(all) : all;
  const operation = operationOf(attempt.operation);
  if (operation.proofs(known, [], abilities).length === 0) return judged(operation, known, abilities);
  return lookKnowing(attempt.operation, known, { abilities, service });
}

/** Reads showed what another delivery of the request did: what was answered is about the one that failed. */
function isFoundAnew(attempt: Attempt): boolean {
  const { contradicted, duplicates } = attempt;
  const isSought = contradicted !== undefined && !isConfirmed(attempt);
  return isSought && duplicates.at(-1)?.facts['outputs'] !== undefined;
}

function judged(operation: Operation, known: Known, abilities: Abilities): Sight {
  const verdict = operation.judge(known, [], abilities);
  return { verdict, absent: shownAbsent(known, verdict, []), looked: [] };
}

function operationOf(name: string): Operation {
  const operation = operationNamed(name);
  invariant(operation !== undefined, `operation ${name} is known`);
  return operation;
}

/**
 * True when no read of this environment can ever show the outcome of an attempt, whatever it was: waiting for one would be in
 * vain. Callbacks apart.
 */
export function isBlind(
  attempt: Attempt,
  { recorder, abilities }: Pick<Looking, 'recorder' | 'abilities'>,
): boolean {
  const operation = operationOf(attempt.operation);
  const known = knownOf(attempt, false, recorder);
  return (
    operation.proofs(known, [], abilities).length === 0 || operation.isBlind?.(known, abilities) === true
  );
}

/** Reads for conclusions from what is not there. */
export function settledReads(service: Pick<Service, 'read'>): Pick<Service, 'read'> {
  return { read: (request) => service.read(request, true) };
}

/** Looks with what is known given. @returns what the reads showed */
export async function lookKnowing(
  name: string,
  known: Known,
  { abilities, service }: Pick<Looking, 'abilities' | 'service'>,
): Promise<Sight> {
  const operation = operationOf(name);
  const asked: ReadRequest[] = [];
  const answers = await gather(service, (sofar) => {
    const next = operation.proofs(known, sofar, abilities);
    asked.push(...next);
    return next;
  });
  const verdict = operation.judge(known, answers, abilities);
  return { verdict, absent: shownAbsent(known, verdict, answers), looked: lookedAt(asked, answers) };
}

/** An attempt's evidence as the kinds judge it: what is taken stays so for the whole look, whatever others settle meanwhile. */
export function knownOf(attempt: Attempt, late: boolean, recorder: Looking['recorder']): Known {
  const { state, claims } = recorder;
  const [resource] = attempt.resources;
  invariant(resource !== undefined, 'an attempt makes something');
  const callbacks = attempt.evidence
    .filter(({ via }) => via === 'callback')
    .map(({ claim, facts }) => ({ claim, facts }));
  return {
    resources: attempt.resources,
    context: objectOrEmpty(attempt.before),
    person: personOf(attempt, recorder),
    inputs: attempt.inputs,
    outcome: attempt.answered?.outcome,
    ids: attempt.answered?.ids ?? {},
    callbacks,
    late,
    surplus: false,
    isTaken: remember((name) => claims.isTaken(kindOf(resource), name, attempt.step)),
    rivals: (which) =>
      rivalsOf(attempt, which === 'open' ? state.openAttempts : state.attempts.values(), recorder),
  };
}

function remember(ask: (name: string) => boolean): (name: string) => boolean {
  const told = new Map<string, boolean>();
  return (name) => {
    const answer = told.get(name) ?? ask(name);
    told.set(name, answer);
    return answer;
  };
}

/** Attempts of the same operation that were sent and open at some time since this one began. */
function rivalsOf(
  attempt: Attempt,
  among: Iterable<Attempt>,
  recorder: Looking['recorder'],
): readonly Rival[] {
  return [...among]
    .filter((other) => other.operation === attempt.operation && other.step !== attempt.step)
    .filter(({ step }) => recorder.unsent?.has(step) !== true)
    .map((other) => ({ other, open: isOpen(other) }))
    .filter(({ other, open }) => open || (other.resolved ?? other.settled ?? other).at >= attempt.at)
    .map(({ other, open }) => ({
      context: objectOrEmpty(other.before),
      person: personOf(other, recorder),
      open,
    }));
}

/** Undefined also where an attempt was made by another plan than the one at hand, which may have said another name. */
function personOf({ step, resources: [first] }: Attempt, recorder: Looking['recorder']): string | undefined {
  const { people, state } = recorder;
  return first !== undefined && people?.plan === state.planOf(step) ? people?.names.get(first) : undefined;
}

function shownAbsent(known: Known, verdict: Verdict, answers: readonly ReadAnswer[]): boolean {
  const heardOf = known.outcome === 'accepted' || known.callbacks.length > 0;
  const blind = known.context['before'] === null;
  const shown = verdict.type !== 'wait' || verdict.shown === true;
  if (heardOf || blind || shown) return false;
  return answers.length > 0 && answers.every(({ type }) => type !== 'unreadable');
}

function objectOrEmpty(value: Attempt['before']): JsonObject {
  return isJsonObject(value) ? value : {};
}
