import { isJsonObject } from '../model/json.js';
import { invariant } from '../model/error.js';
import { kindOf } from '../model/id.js';
import { operationNamed } from '../kinds/registry.js';
import { isOpen } from '../state/attempt.js';
import { gather } from './gather.js';
import { lookedAt } from './looked.js';
/** Reads everything that could prove an attempt's outcome now, and judges it. Writes nothing. */
export async function look(attempt, late, looking) {
    const { abilities, service, recorder } = looking;
    return lookKnowing(attempt.operation, knownOf(attempt, late, recorder), { abilities, service });
}
/** Reads for conclusions from what is not there. */
export function settledReads(service) {
    return { read: (request) => service.read(request, true) };
}
/** Looks with what is known given. @returns what the reads showed */
export async function lookKnowing(name, known, { abilities, service }) {
    const operation = operationNamed(name);
    invariant(operation !== undefined, `operation ${name} is known`);
    const asked = [];
    const answers = await gather(service, (sofar) => {
        const next = operation.proofs(known, sofar, abilities);
        asked.push(...next);
        return next;
    });
    const verdict = operation.judge(known, answers, abilities);
    return { verdict, absent: shownAbsent(known, verdict, answers), looked: lookedAt(asked, answers) };
}
/** An attempt's evidence as the kinds judge it: what is taken stays so for the whole look, whatever others settle meanwhile. */
export function knownOf(attempt, late, { state, claims }) {
    const [resource] = attempt.resources;
    invariant(resource !== undefined, 'an attempt makes something');
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
        isTaken: (name) => claims.isTaken(kindOf(resource), name, attempt.step),
        rivals: (which) => rivalsOf(attempt, which === 'open' ? state.openAttempts : state.attempts.values()),
    };
}
function remember(ask) {
    const told = new Map();
    return (name) => {
        const answer = told.get(name) ?? ask(name);
        told.set(name, answer);
        return answer;
    };
}
/** Attempts of the same operation that were open at some time since this one began. */
function rivalsOf(attempt, among) {
    return [...among]
        .filter((other) => other.operation === attempt.operation && other.step !== attempt.step)
        .map((other) => ({ other, open: isOpen(other) }))
        .filter(({ other, open }) => open || (other.resolved ?? other.settled ?? other).at >= attempt.at)
        .map(({ other, open }) => ({ context: objectOrEmpty(other.before), open }));
}
function shownAbsent(known, verdict, answers) {
    const heardOf = known.outcome === 'accepted' || known.callbacks.length > 0;
    const blind = known.context['before'] === null;
    const shown = verdict.type !== 'wait' || verdict.shown === true;
    if (heardOf || blind || shown)
        return false;
    return answers.length > 0 && answers.every(({ type }) => type !== 'unreadable');
}
function objectOrEmpty(value) {
    return isJsonObject(value) ? value : {};
}
