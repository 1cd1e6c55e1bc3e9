import * as fc from 'fast-check';
import { FAULTS } from './decisions.js';
import { formatSchedule, simulate } from './simulate.js';
import { parseSchedule } from './batch.js';
const STREAMS = Object.keys(FAULTS);
/** The shortest schedule that fast-check finds which breaks the same invariant. @param maxMs how long it may look */
export async function shrink(text, invariant, maxMs = 30_000) {
    const scenario = parseSchedule(text);
    const decision = fc.tuple(fc.nat(STREAMS.length - 1), fc.nat(1_000_000), fc.nat(30));
    const schedule = fc.array(decision, { maxLength: 10_000 });
    const failing = scenario.decisions.map(({ stream, index, value }) => [
        STREAMS.indexOf(stream),
        index,
        value,
    ]);
    const property = fc.asyncProperty(schedule, async (items) => {
        const decisions = items.map(toDecision);
        const { violation } = await simulate({ ...scenario, decisions });
        return violation?.invariant !== invariant;
    });
    const found = await fc.check(property, {
        examples: [[failing]],
        numRuns: 1,
        interruptAfterTimeLimit: maxMs,
        markInterruptAsFailure: false,
    });
    const smallest = found.counterexample?.[0] ?? failing;
    return formatSchedule(scenario, smallest.map(toDecision));
}
function toDecision([stream, index, value]) {
    const name = STREAMS[stream];
    return { stream: name, index, value: value % FAULTS[name].length };
}
