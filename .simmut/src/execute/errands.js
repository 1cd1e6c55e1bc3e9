import { invariant } from '../model/error.js';
import { look, settledReads } from './look.js';
import { lookBehindRefusal } from './behind-refusal.js';
/** Looks, or waits, as a watch asks for. @throws REMOTE_* */
export async function perform(watch, command, { ports, recorder, knowledge }, timers) {
    if (command.type === 'wait') {
        await timers.sleep(command.ms);
        return { type: 'due', watch, turn: command.turn };
    }
    const attempt = recorder.state.attempts.get(watch.step);
    invariant(attempt !== undefined, 'a watched attempt is in the journal');
    const service = command.late ? settledReads(ports.service) : ports.service;
    const looking = { recorder, abilities: knowledge.abilities, service };
    return { type: 'seen', watch, sight: await look(attempt, command.late, looking), late: command.late };
}
/** Notes the end of a watched attempt. */
export function settle({ planned }, { event, report, again }, recorder) {
    recorder.note(event);
    const made = Object.keys(event.outputs);
    return { type: 'settled', planned, report, made, again };
}
/** Notes the effect of a refused attempt, which reads showed. */
export function confirm(planned, { step, verdict }, recorder) {
    const { grade, outputs } = verdict;
    recorder.note({ type: 'step-settled', step, state: 'confirmed', grade, outputs });
    const { id, resources } = planned;
    const made = Object.keys(outputs);
    return { type: 'settled', planned, report: { id, resources, end: 'confirmed', step }, made, again: false };
}
/** Notes that an attempt had no effect. */
export function close({ planned, step, message, again }, recorder) {
    const { id, resources } = planned;
    const report = { id, resources, end: 'failed', ...(step !== undefined && { step }), message };
    if (step !== undefined)
        recorder.note(closed(step, message));
    return { type: 'settled', planned, report, made: [], again };
}
/**
 * Ends an attempt of an earlier run that was refused or never sent, which a crash kept from being settled: its effect may
 * be there all the same. @throws REMOTE_*
 */
export async function conclude({ planned, attempt }, input) {
    const { step, answered } = attempt;
    const behind = await lookBehindRefusal(attempt, input);
    if (behind.type === 'effect')
        return confirm(planned, { type: 'effective', step, verdict: behind.verdict }, input.recorder);
    if (behind.type === 'unclear')
        return { type: 'sent', planned, sent: { type: 'open', attempt } };
    const message = answered?.message ?? 'the request had no effect';
    return close({ planned, step, message, again: true }, input.recorder);
}
/** Closes an attempt that had no effect, then waits before its step is sent again. */
export async function pause(attempt, recorder, pauses) {
    recorder.note(closed(attempt.step, attempt.message));
    await pauses.sleep(attempt.ms);
    return { type: 'again', planned: attempt.planned };
}
function closed(step, message) {
    return { type: 'step-settled', step, state: 'failed', grade: 'D', outputs: {}, message };
}
