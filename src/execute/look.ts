import { isJsonObject, type JsonObject } from '../model/json.js';
import { invariant } from '../model/error.js';
import type { Abilities } from '../kinds/kind.js';
import type { Known, ReadAnswer, Verdict } from '../kinds/operation.js';
import { operationNamed } from '../kinds/registry.js';
import type { Attempt } from '../state/attempt.js';
import { gather } from './gather.js';
import type { Service } from './ports.js';

/** What a look at an attempt's evidence showed. `absent`: every read worked and none showed an effect. */
export interface Sight {
  readonly verdict: Verdict;
  readonly absent: boolean;
}

/** Reads everything that could prove an attempt's outcome now, and judges it. Writes nothing. */
export async function look(
  attempt: Attempt,
  late: boolean,
  abilities: Abilities,
  service: Pick<Service, 'read'>,
): Promise<Sight> {
  const operation = operationNamed(attempt.operation);
  invariant(operation !== undefined, `operation ${attempt.operation} is known`);
  const known = knownOf(attempt, late);
  const answers = await gather(service, (sofar) => operation.proofs(known, sofar, abilities));
  return { verdict: operation.judge(known, answers, abilities), absent: shownAbsent(known, answers) };
}

/** An attempt's evidence as the kinds judge it. */
export function knownOf(attempt: Attempt, late: boolean): Known {
  const callbacks = attempt.evidence
    .filter(({ via }) => via === 'callback')
    .map(({ claim, facts }) => ({ claim, facts }));
  return {
    resources: attempt.resources,
    context: objectOrEmpty(attempt.before),
    ...(attempt.answered !== undefined && { outcome: attempt.answered.outcome }),
    ids: attempt.answered?.ids ?? {},
    callbacks,
    late,
  };
}

function shownAbsent(known: Known, answers: readonly ReadAnswer[]): boolean {
  const heardOf = known.outcome === 'accepted' || known.callbacks.length > 0;
  return !heardOf && answers.length > 0 && answers.every(({ type }) => type !== 'unreadable');
}

function objectOrEmpty(value: Attempt['before']): JsonObject {
  return isJsonObject(value) ? value : {};
}
