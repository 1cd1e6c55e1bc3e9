import { isOpen, isSimplyConfirmed } from './attempt.js';
import { LazyMap } from './lazy-map.js';
import { Names } from './names.js';
import { NumberSet } from './number-set.js';
import { PackedAttempts } from './packed-attempts.js';
import { NOTES, StepNotes } from './step-notes.js';
import { traceOf } from './trace.js';
import { TAGS } from './packed-value.js';
import { TokenIndex } from './token-index.js';
/**
 * Every attempt by its step, oldest first. Those of plain steps that were read from a journal are kept as packed events,
 * and become objects when they are asked for; all others are kept as objects.
 */
export class AttemptBook extends LazyMap {
    /** Reads those that are packed. */
    packed;
    #store;
    #events;
    #steps;
    #live = new Map();
    #liveTokens = new Map();
    #tokens;
    #open = new NumberSet();
    /** Open ones, and those that did not simply succeed. */
    #unproven = new NumberSet();
    #notes = new StepNotes();
    constructor(store, events) {
        super();
        this.#store = store;
        this.#events = events;
        this.#steps = new Names(store);
        this.#tokens = new TokenIndex(store);
        this.packed = new PackedAttempts(events.reader, this.#steps, this.#notes);
    }
    get size() {
        return this.#steps.size;
    }
    has(step) {
        return this.#steps.findText(step) >= 0;
    }
    get(step) {
        const live = this.#live.get(step);
        if (live !== undefined)
            return live;
        const number = this.#steps.findText(step);
        return number < 0 ? undefined : this.attempt(number);
    }
    *keys() {
        for (let number = 0; number < this.size; number += 1)
            yield this.stepOf(number);
    }
    *values() {
        for (let number = 0; number < this.size; number += 1)
            yield this.attempt(number);
    }
    *entries() {
        for (const attempt of this.values())
            yield [attempt.step, attempt];
    }
    /** The number of a step, or -1. */
    numberOf(step) {
        return this.#steps.findText(step);
    }
    stepOf(number) {
        return this.#steps.text(number);
    }
    /** The attempt with a number. */
    attempt(number) {
        const step = this.stepOf(number);
        return this.#live.get(step) ?? this.packed.attempt(number);
    }
    /** The open ones, oldest first. */
    open() {
        return this.#open.ascending().map((number) => this.attempt(number));
    }
    /** The open ones, and those that did not simply succeed, oldest first. */
    unproven() {
        return this.#unproven.ascending().map((number) => this.attempt(number));
    }
    /** Keeps an attempt as it is now. */
    put(attempt) {
        const number = this.#steps.numberOf(attempt.step);
        this.#live.set(attempt.step, attempt);
        this.#notes.add(number, NOTES.live);
        this.#open.include(number, isOpen(attempt));
        this.#unproven.include(number, !isSimplyConfirmed(attempt));
    }
    /** Notes whose token it is. */
    putToken(token, step) {
        this.#liveTokens.set(token, step);
    }
    /** The attempt that a callback token belongs to. */
    stepOfToken(token) {
        const live = this.#liveTokens.get(token);
        const number = live === undefined ? this.#tokens.findText(token) : -1;
        return number < 0 ? live : this.stepOf(number);
    }
    /** Marks an attempt as settled since a run last ended. */
    freshen(number) {
        this.#notes.add(number, NOTES.fresh);
    }
    isFresh(step) {
        const number = this.#steps.findText(step);
        return number >= 0 && this.#notes.has(number, NOTES.fresh);
    }
    /** Those marked with {@link freshen}, oldest first. */
    *fresh() {
        for (let number = 0; number < this.size; number += 1)
            if (this.#notes.has(number, NOTES.fresh))
                yield this.attempt(number);
    }
    /** Takes the mark off all. */
    settleDown() {
        this.#notes.removeAll(NOTES.fresh);
    }
    /** Keeps the intent that fitted last. @returns its number, or -1 when it has to be an object */
    begin(text) {
        const { bytes, form } = text;
        const from = this.#events.startOf(form.holes.step);
        const to = this.#events.endOf(form.holes.step);
        if (this.#steps.find(bytes, from, to) >= 0)
            return -1;
        const offset = this.#events.put(text, 0);
        if (offset === 0)
            return -1;
        const tokenAt = this.#events.reader.placeOf(offset, form.holes.token);
        const chunk = this.#store.chunkOf(tokenAt);
        const index = this.#store.indexOf(tokenAt);
        if (chunk[index] !== TAGS.digest || this.#tokens.find(chunk, index + 1) >= 0)
            return -1;
        const number = this.#steps.add(bytes, from, to);
        this.#notes.setLast(number, offset);
        this.#tokens.add(number, tokenAt + 1);
        this.#open.include(number, true);
        this.#unproven.include(number, true);
        return number;
    }
    /** Keeps an event that fitted last, about an attempt. @returns false when it has to be an object */
    advance(number, text) {
        if (this.#notes.has(number, NOTES.live))
            return false;
        const { type } = text.form;
        const settles = type === 'step-settled';
        if (settles && this.#notes.has(number, NOTES.confirmed))
            return false;
        if (type === 'step-answered' && this.#notes.has(number, NOTES.answered))
            return true;
        const offset = this.#events.put(text, this.#notes.lastOf(number));
        if (offset === 0)
            return false;
        this.#notes.setLast(number, offset);
        if (type === 'step-answered')
            this.#notes.add(number, NOTES.answered);
        if (!settles)
            return true;
        this.#notes.setSettled(number, offset);
        this.#notes.add(number, NOTES.confirmed | NOTES.fresh);
        this.#open.include(number, false);
        this.#unproven.include(number, false);
        return true;
    }
    /** The number of the step that the event which fitted last is about, or -1. */
    aboutWhich({ bytes, form }) {
        const { step } = form.holes;
        return this.#steps.find(bytes, this.#events.startOf(step), this.#events.endOf(step));
    }
    /** Where the bytes of a step's name are in the store. */
    placeOf(number) {
        return this.#steps.placeOf(number);
    }
    /** @param isEntered true for a resource whose entry in the lock is what the attempt with this number made */
    *traces(isEntered) {
        for (let number = 0; number < this.size; number += 1) {
            const step = this.stepOf(number);
            const resource = step.slice(0, step.lastIndexOf('#'));
            const live = this.#live.get(step);
            const isMade = !live && this.#notes.has(number, NOTES.confirmed) && !isEntered(resource, number);
            const made = isMade ? [{ [resource]: this.packed.outputsOf(number) }] : [];
            yield live ? traceOf(live) : { step, resource, ids: this.packed.idsOf(number), made };
        }
    }
}
