import { digestOf } from '../model/canonical.js';
import { invariant } from '../model/error.js';
import { publicView } from '../model/value.js';
import { operationNamed } from '../kinds/registry.js';
import { isConfirmed, isOpen } from '../state/attempt.js';
import { gather } from './gather.js';
import { reopenEffective } from './recheck.js';
import { lookBehindRefusal } from './behind-refusal.js';
import { failureOf } from './refusal.js';
import { PlannedView } from './step-view.js';
/**
 * Sends one attempt of a step: reads what the request needs, makes token and intent durable, sends once, notes the
 * answer. Between the intent and the first byte nothing can be known after a crash, so there is no record between.
 */
export async function sendStep(planned, sender) {
    const operation = operationNamed(planned.operation);
    invariant(operation !== undefined, `operation ${planned.operation} is known`);
    const view = new PlannedView(planned, sender);
    const answers = await gather(sender.ports.service, (sofar) => operation.prepare(view, sofar));
    const blind = answers.find((answer) => answer.type === 'unreadable');
    // What was there before tells a lost effect from an old one: without that, its absence could never be shown.
    if (blind !== undefined)
        return { type: 'refused', message: `nothing was sent: ${blind.message}` };
    const prepared = operation.request(view, answers);
    if (prepared.type === 'refused')
        return { type: 'refused', message: prepared.message };
    if (sender.isHalted(planned))
        return { type: 'withheld' };
    await reopenEffective(planned, sender);
    const step = sender.recorder.state.nextStep(planned.id);
    // The licence comes last: a sign of an earlier effect may come any time.
    const opened = await sender.ports.inbox.open(step);
    const open = openAttempt(planned, sender.recorder.state);
    if (open !== undefined)
        return { type: 'open', attempt: open };
    await sender.recorder.record({
        type: 'step-intended',
        step,
        resources: planned.resources,
        operation: planned.operation,
        lane: planned.lane,
        token: opened.token,
        request: digestOf(publicView(prepared.request)),
        before: prepared.context,
        inputs: prepared.inputs,
    });
    const url = prepared.request.takesCallback ? opened.url : undefined;
    return deliver({ planned, step, operation, prepared, url }, sender);
}
async function deliver(intended, sender) {
    const { planned, step, operation } = intended;
    const { recorder } = sender;
    // While the intent was being kept, the run may have been halted.
    if (sender.isHalted(planned)) {
        const { message } = WITHHELD;
        const settled = { type: 'step-settled', state: 'failed', grade: 'D', outputs: {} };
        recorder.note(answeredEvent(step, WITHHELD, undefined), { ...settled, step, message });
        return { type: 'withheld' };
    }
    const classed = await write(intended, sender);
    const attempt = recorder.state.attempts.get(step);
    invariant(attempt !== undefined, 'an answered attempt is in the journal');
    const behind = await lookBehindRefusal(attempt, sender);
    if (behind.type === 'effect')
        return { type: 'effective', step, verdict: behind.verdict };
    if (behind.type === 'unclear')
        return { type: 'open', attempt };
    return { type: 'answered', step, answer: classed, failure: failureOf(classed, operation.shared) };
}
/** Writes the request and notes the answer. */
async function write({ step, operation, prepared, url }, { recorder, ports, signal, onWrite, onWritten }) {
    onWrite();
    try {
        const answer = await ports.service.write(prepared.request, url, step, signal);
        const ids = answer.outcome === 'accepted' ? operation.accept(answer.result ?? null, prepared.context) : undefined;
        const classed = answer.outcome === 'accepted' && ids === undefined ? { ...answer, ...UNNAMED } : answer;
        recorder.note(answeredEvent(step, classed, ids));
        return classed;
    }
    finally {
        onWritten();
    }
}
function answeredEvent(step, { outcome, status, message }, ids) {
    return {
        type: 'step-answered',
        step,
        outcome,
        ...(status !== undefined && { status }),
        ...(ids !== undefined && { ids }),
        ...(message !== undefined && { message }),
    };
}
/**
 * The attempt that must be settled before its step may be sent again: the licence to retry (reliability §9, S3). That is
 * the last one; or an earlier one of which a sign came late, when what was sent in its place had no effect.
 */
function openAttempt({ resources }, state) {
    const last = resources.flatMap((id) => state.lastAttempt(id) ?? []);
    const open = last.find(isOpen);
    const missing = last.length === 0 ? [] : resources.filter((id) => state.lock?.entries.has(id) !== true);
    if (open !== undefined || missing.length === 0)
        return open;
    return state.unprovenAttempts.find((attempt) => attempt.contradicted !== undefined &&
        !isConfirmed(attempt) &&
        attempt.resources.some((id) => missing.includes(id)));
}
const WITHHELD = { outcome: 'not_sent', message: 'nothing more was sent in this run' };
/** An acceptance that does not say what was made proves nothing about it. */
const UNNAMED = {
    outcome: 'ambiguous',
    message: 'the service accepted the request but did not name what it made',
};
