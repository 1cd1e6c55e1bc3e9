import { claimSight } from './claim-sight.js';
import { perform, settle } from './errands.js';
import { Watch } from './watch.js';
/** The attempts whose outcome a run waits for. What their watches ask for is done beside the loop. */
export class Watches {
    #input;
    #timers;
    #mailbox;
    #beside;
    #watches = new Map();
    constructor(input, timers, mailbox, beside) {
        this.#input = input;
        this.#timers = timers;
        this.#mailbox = mailbox;
        this.#beside = beside;
    }
    /** @param fresh true: answered just now, so that there is nothing to see yet */
    begin(planned, attempt, fresh) {
        const { pace, knowledge } = this.#input;
        const { callbacks } = knowledge.abilities;
        const watch = new Watch(planned, attempt, { pace, nowMs: this.#nowMs(), callbacks });
        this.#watches.set(attempt.step, watch);
        // A callback may have come before the answer.
        this.#follow(watch, watch.start(fresh && attempt.evidence.length === 0));
    }
    /** A callback came. */
    heard(step) {
        const watch = this.#watches.get(step);
        if (watch !== undefined)
            this.#follow(watch, watch.look(this.#nowMs()));
    }
    /** A wait or a look is over. */
    advance(message) {
        const { watch } = message;
        if (message.type === 'due')
            return this.#follow(watch, watch.due(message.turn, this.#nowMs()));
        const { sight, late } = message;
        const honest = claimSight(watch.step, sight, this.#input.recorder.claims);
        this.#follow(watch, watch.seen(honest, late, this.#nowMs()));
    }
    #follow(watch, command) {
        if (command.type === 'nothing')
            return;
        if (command.type !== 'settle')
            return this.#beside(() => perform(watch, command, this.#input, this.#timers));
        this.#watches.delete(watch.step);
        this.#mailbox.post(settle(watch, command, this.#input.recorder));
    }
    #nowMs() {
        return this.#input.ports.clock.nowMs();
    }
}
