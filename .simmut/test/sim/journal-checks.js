import { parseStepId } from '../../src/model/id.js';
import { decodeJournal } from '../../src/state/codec.js';
import { formatLock } from '../../src/state/lockfile.js';
import { LineageState } from '../../src/state/project.js';
const NEWLINE = 0x0a;
/** Invariants that are about the journal itself. */
export class JournalChecks {
    #world;
    /** What appends promised to keep. */
    #kept = Buffer.alloc(0);
    #bytes = Buffer.allocUnsafe(16_384);
    /** What was looked at when the last process ended. */
    #restedBytes = -1;
    #lockfile = '';
    #decoded;
    constructor(world) {
        this.#world = world;
    }
    /** An append returned: all that is durable now must be there for ever. */
    kept(events, durable) {
        const last = JSON.stringify(events.at(-1));
        this.#world.check((durable?.lastIndexOf(last) ?? -1) >= 0, 'S10', () => 'an append returned before it was durable');
        if (durable !== undefined)
            this.#keep(durable);
    }
    /** S10: what was kept is what is found, and a torn end is gone. */
    opened(bytes) {
        const isKept = bytes.subarray(0, this.#kept.length).equals(this.#kept);
        this.#world.check(isKept, 'S10', () => `the journal lost what an append had promised to keep`);
        const isWhole = bytes.length === 0 || bytes.at(-1) === NEWLINE;
        this.#world.check(isWhole, 'S10', () => 'a torn end is still there after the journal was opened');
        this.#kept = Buffer.alloc(0);
        this.#keep(bytes);
    }
    #keep(bytes) {
        if (bytes.length > this.#bytes.length) {
            const larger = Buffer.allocUnsafe(2 * bytes.length);
            this.#kept.copy(larger);
            this.#bytes = larger;
        }
        bytes.copy(this.#bytes, this.#kept.length, this.#kept.length);
        this.#kept = this.#bytes.subarray(0, bytes.length);
    }
    /** What a journal holds; the same bytes are decoded once. */
    decoded(bytes) {
        if (this.#decoded === undefined || !this.#decoded.bytes.equals(bytes))
            this.#decoded = { bytes: Buffer.from(bytes), journal: decodeJournal(bytes) };
        return this.#decoded.journal;
    }
    /** S3, S11 of everything on the disk now. S10: recovering twice is recovering once. */
    atRest(journal, lockfile) {
        if (journal === undefined || journal.length === this.#restedBytes)
            return;
        this.#restedBytes = journal.length;
        const { events, validBytes } = this.decoded(journal);
        checkLicences(this.#world, events);
        const isTorn = validBytes !== journal.length;
        const again = isTorn ? decodeJournal(journal.subarray(0, validBytes)).events.length : events.length;
        this.#world.check(again === events.length, 'S10', () => 'a second recovery finds other records');
        const text = lockfile?.toString() ?? this.#lockfile;
        if (text === this.#lockfile)
            return;
        this.#lockfile = text;
        const serial = Number(/"serial": (\d+)/.exec(text)?.[1]);
        const state = new LineageState();
        const isProjection = events.some((event) => {
            state.apply(event);
            return state.lock?.serial === serial && formatLock(state.lock).main === text;
        });
        this.#world.check(isProjection, 'S11', () => 'the lockfile is at no time what the journal amounts to');
    }
}
/** S3: between two attempts for a resource stands the proof that the first had no effect. */
function checkLicences(world, events) {
    const closed = new Map();
    const latest = new Map();
    for (const event of events) {
        if (event.type === 'step-intended') {
            for (const id of event.resources) {
                const earlier = latest.get(id);
                const free = earlier === undefined || closed.get(earlier) === true || event.operation === 'version.update';
                world.check(free, 'S3', () => `${event.step} is intended while ${earlier} may have had its effect`);
                latest.set(id, event.step);
            }
            world.check(parseStepId(event.step) !== undefined, 'S3', () => `${event.step} is no step`);
        }
        if (event.type === 'step-answered' && (event.outcome === 'rejected' || event.outcome === 'not_sent'))
            closed.set(event.step, true);
        if (event.type === 'step-settled')
            closed.set(event.step, event.state === 'failed');
        if (event.type === 'step-resolved')
            closed.set(event.step, event.decision === 'absent');
    }
}
