import { parseDecisions } from './decisions.js';
import { PROFILES } from './profiles.js';
import { scenarioOf } from './seeds.js';
import { formatSchedule, simulate } from './simulate.js';
import { WORKLOADS } from './workloads.js';
const SHORTENING_MS = 10_000;
/** Runs the schedules of seeds `from`, `from + step`, … below `to`; stops at the first violation. */
export async function runSeeds(from, to, step) {
    const tally = emptyTally();
    for (let seed = from; seed < to && tally.failure === undefined; seed += step) {
        const scenario = scenarioOf(seed);
        const verdict = await simulate(scenario);
        add(tally, verdict);
        if (verdict.violation === undefined)
            continue;
        tally.failure = { seed, schedule: formatSchedule(scenario, verdict.taken), ...verdict.violation };
    }
    return tally;
}
/** True when the engine keeps every invariant on a schedule, and on the seed that drew it. */
export async function holds({ seed, schedule }) {
    const { violation } = await replay(schedule);
    if (violation !== undefined)
        return false;
    return seed === undefined || (await runSeeds(seed, seed + 1, 1)).failure === undefined;
}
/** Looks for a schedule that breaks an invariant: those that are known, then those of seeds. */
export async function hunt({ first, from, to, short }) {
    const tally = emptyTally();
    for (const schedule of first) {
        const verdict = await replay(schedule);
        add(tally, verdict);
        if (verdict.violation !== undefined)
            return { ...tally, failure: { seed: undefined, schedule, ...verdict.violation } };
    }
    const drawn = await runSeeds(from, to, 1);
    if (!short || drawn.failure === undefined)
        return drawn;
    const { shrink } = await import('./shrink.js');
    const schedule = await shrink(drawn.failure.schedule, drawn.failure.invariant, SHORTENING_MS);
    return { ...drawn, failure: { ...drawn.failure, schedule } };
}
function emptyTally() {
    return { schedules: 0, crashes: 0, virtualHours: 0, undecided: 0 };
}
function add(tally, { crashes, virtualMs, undecided }) {
    tally.schedules += 1;
    tally.crashes += crashes;
    tally.virtualHours += virtualMs / 3_600_000;
    tally.undecided += undecided;
}
/** The scenario that a schedule's text names. @throws when it names none */
export function parseSchedule(text) {
    const [place = '', ...decisions] = text.trim().split(/\s+/);
    const [profileName, workloadName] = place.split('/');
    const profile = PROFILES.find(({ name }) => name === profileName);
    const workload = WORKLOADS.find(({ name }) => name === workloadName);
    if (profile === undefined || workload === undefined)
        throw new Error(`${place} is not profile/workload`);
    return { profile, workload, decisions: parseDecisions(decisions.join(' ')) };
}
/** Runs one schedule from its text. */
export function replay(text) {
    return simulate(parseSchedule(text));
}
/** A crash at each boundary of the disk, and at each write, one at a time; `pairs`: every two of them. */
export async function enumerateCrashes(place, { pairs, stride }) {
    const scenario = parseSchedule(place);
    const tally = emptyTally();
    const { boundaries } = await simulate(scenario);
    const points = crashPoints(boundaries);
    const chosen = points.filter((_, index) => index % stride === 0);
    for (const [index, first] of chosen.entries()) {
        const seconds = pairs ? chosen.slice(index + 1) : [undefined];
        for (const second of seconds) {
            const decisions = second === undefined ? first : [...first, ...second];
            const verdict = await simulate({ ...scenario, decisions });
            add(tally, verdict);
            if (verdict.violation === undefined)
                continue;
            tally.failure = {
                seed: undefined,
                schedule: formatSchedule(scenario, verdict.taken),
                ...verdict.violation,
            };
            return tally;
        }
    }
    return tally;
}
/** Every way to crash once: the process or the machine, with unsynced bytes lost, kept or torn. */
function crashPoints({ disk, write }) {
    const words = [];
    for (let index = 0; index < disk + 3; index += 1) {
        words.push(`disk:${index}=kill`, `disk:${index}=power`, `disk:${index}=torn-kill`);
        words.push(`disk:${index}=power-after rest:0=newline names:0=all`, `disk:${index}=power-after rest:0=some-3 names:0=one`);
    }
    for (let index = 0; index < write; index += 1)
        words.push(`write:${index}=kill`, `write:${index}=kill-after`, `write:${index}=power-after`);
    return words.map(parseDecisions);
}
