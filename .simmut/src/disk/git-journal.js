import { messageOf, WindlassError } from '../model/error.js';
import { encodeEvents } from '../state/codec.js';
import { HOLDER, RECORDS } from './git-chain.js';
import { moveRef, writeCommit } from './git-ref.js';
/**
 * What is known by now and licenses nothing by itself. The next intent stands after it in the chain, so nothing is sent
 * on its strength before it is durable, and nobody needs to wait for it. A callback is none: its sender is answered for it.
 */
const PATIENT = new Set(['step-answered', 'step-settled']);
/** Longest time that patient records wait for others to share a push with, in milliseconds; never more than a push takes. */
const MAX_LINGER_MS = 500;
/**
 * The journal of the run that holds a lineage. Each push carries all records that came while the last one was under way,
 * and moves the ref from the very commit that this run left there. So a run whose lineage was taken over fails at its
 * next record, and what is sent only after its record is durable is not sent.
 */
export class GitJournal {
    #home;
    #run;
    #tip;
    #hash;
    #waiting = [];
    #records = 0;
    /** The group that takes new records. */
    #group;
    /** The last group's push. */
    #pushing = Promise.resolve();
    #lingerMs = 0;
    #broken = false;
    constructor(home, start) {
        this.#home = home;
        this.#run = start.run;
        this.#tip = start.tip;
        this.#hash = start.hash;
    }
    /** The last commit that the remote is known to have taken. */
    get tip() {
        return this.#tip;
    }
    /** True when a push failed: nothing more may be recorded, and the ref may no longer be this run's. */
    get broken() {
        return this.#broken;
    }
    /**
     * Durable in the remote when it resolves; answers and outcomes resolve before, and are durable at the latest with the
     * next record that is none.
     *
     * @throws RUN_FENCED, STATE_REMOTE, JOURNAL_WRITE; then for every later call too
     */
    async append(events) {
        const { text, hash } = encodeEvents(this.#hash, events);
        this.#hash = hash;
        this.#waiting.push(text);
        this.#records += events.length;
        const group = (this.#group ??= this.#openGroup());
        if (!this.#broken && events.every(({ type }) => PATIENT.has(type))) {
            setTimeout(group.start, this.#lingerMs);
            return;
        }
        group.start();
        await group.pushed;
    }
    /** Waits until everything that was added is durable. @throws as `append` does */
    async flush() {
        this.#group?.start();
        await this.#pushing;
    }
    /**
     * Waits for what was added, then frees the lineage. A journal that broke leaves the ref alone.
     *
     * @param files to be kept beside the journal: contents by path
     * @throws STATE_REMOTE when the lineage may still be held
     */
    async release(files) {
        await this.flush().catch(() => undefined);
        if (this.#broken)
            return;
        const changed = new Map([
            ...files,
            [RECORDS, undefined],
            [HOLDER, undefined],
        ]);
        await this.#push(`Release: run ${this.#run}`, changed);
    }
    #openGroup() {
        let start = () => undefined;
        const started = new Promise((resolve) => (start = resolve));
        // Never pushes again after a failure: each group waits for the one before it to succeed.
        const pushed = Promise.all([started, this.#pushing]).then(() => this.#pushGroup());
        this.#pushing = pushed;
        // Who has to know is told by `append` and `flush`.
        pushed.catch(() => undefined);
        return { pushed, start };
    }
    async #pushGroup() {
        const text = this.#waiting.join('');
        const subject = `Record ${this.#records} of run ${this.#run}`;
        this.#waiting = [];
        this.#records = 0;
        this.#group = undefined;
        const began = performance.now();
        await this.#push(subject, new Map([[RECORDS, text]]));
        this.#lingerMs = Math.min(MAX_LINGER_MS, performance.now() - began);
    }
    async #push(subject, files) {
        try {
            const commit = await writeCommit(this.#home, { parent: this.#tip, subject, files });
            const outcome = await moveRef(this.#home, this.#tip, commit);
            if (outcome === 'lost')
                throw fenced(this.#home);
            this.#tip = commit;
        }
        catch (thrown) {
            this.#broken = true;
            if (thrown instanceof WindlassError && thrown.code !== 'STATE_WRITE')
                throw thrown;
            throw new WindlassError('JOURNAL_WRITE', `The journal cannot be written: ${messageOf(thrown)}.`, {
                cause: thrown,
            });
        }
    }
}
function fenced({ remote, ref }) {
    return new WindlassError('RUN_FENCED', `Somebody else moved ${ref} of ${remote}; nothing was sent after it.`);
}
