import { invariant } from '../model/error.js';
import { advanceAttempt, beginAttempt, isAttemptEvent } from './attempt.js';
import { NOTES } from './step-notes.js';
/** Reads attempts that are kept as packed events, whole or in part, by the number of their step. */
export class PackedAttempts {
    #packed;
    #steps;
    #notes;
    constructor(packed, steps, notes) {
        this.#packed = packed;
        this.#steps = steps;
        this.#notes = notes;
    }
    /** How well the outcome of a packed attempt is known. */
    gradeOf(number) {
        const { grade } = this.#packed.formOf(this.#notes.settledOf(number));
        invariant(grade !== undefined, 'only settled attempts are asked');
        return grade;
    }
    /** When a packed attempt was settled. */
    settledAt(number) {
        const settled = this.#notes.settledOf(number);
        return this.#packed.text(settled, this.#packed.formOf(settled).holes.at, this.#namesOf(number));
    }
    /** What a packed attempt asked for. */
    inputsOf(number) {
        return this.#packed.value(this.#intent(number), this.#namesOf(number));
    }
    /** What it made. */
    outputsOf(number) {
        return this.#packed.value(this.#notes.settledOf(number), this.#namesOf(number));
    }
    /** The ids in the answer to a packed attempt. */
    idsOf(number) {
        let offset = this.#notes.has(number, NOTES.answered) ? this.#notes.lastOf(number) : 0;
        while (offset > 0 && this.#packed.formOf(offset).type !== 'step-answered')
            offset = this.#packed.previousOf(offset);
        if (offset === 0 || this.#packed.formOf(offset).value === undefined)
            return undefined;
        return this.#packed.value(offset, this.#namesOf(number));
    }
    #intent(number) {
        let offset = this.#notes.lastOf(number);
        for (let before = this.#packed.previousOf(offset); before > 0; before = this.#packed.previousOf(offset))
            offset = before;
        return offset;
    }
    #namesOf(number) {
        const step = this.#steps.text(number);
        return { step, id: step.slice(0, step.lastIndexOf('#')) };
    }
    /** The attempt as an object. */
    attempt(number) {
        const names = this.#namesOf(number);
        const offsets = [];
        for (let offset = this.#notes.lastOf(number); offset > 0; offset = this.#packed.previousOf(offset))
            offsets.push(offset);
        const [intent, ...events] = offsets.reverse().map((offset) => this.#packed.event(offset, names));
        invariant(intent?.type === 'step-intended', 'a packed attempt begins with its intent');
        return events.filter(isAttemptEvent).reduce(advanceAttempt, beginAttempt(intent));
    }
}
