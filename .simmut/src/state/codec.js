import { hash as digest } from 'node:crypto';
import { JournalReader } from './journal-reader.js';
import { LineageState } from './project.js';
import { HASH_DIGITS, recordOpening } from './record.js';
/**
 * Records for the end of a journal: one line `{"h":HASH,"e":EVENT}` each. HASH is the first 128 bits, in hex, of
 * SHA-256 over the hash before and the event's text, so that no record can be changed, lost or swapped unseen.
 *
 * @param previousHash end of the chain so far; `CHAIN_START` for an empty journal
 */
export function encodeEvents(previousHash, events) {
    let hash = previousHash;
    let text = '';
    for (const event of events) {
        const json = JSON.stringify(event);
        hash = digest('sha256', hash + json, 'hex').slice(0, HASH_DIGITS);
        text += `${recordOpening(hash)}${json}}\n`;
    }
    return { text, hash };
}
/** The events of a journal, oldest first, as objects; {@link foldJournal} is for long ones. @throws as `JournalReader` does */
export function decodeJournal(bytes) {
    const events = [];
    const reader = new JournalReader({
        applyText: () => 'unknown',
        apply: (event) => events.push(event),
        learn: () => undefined,
    });
    reader.read(bytes);
    return { events, hash: reader.hash, validBytes: reader.validBytes };
}
/** What a journal amounts to. @throws as `JournalReader` does, and JOURNAL_CORRUPT when events contradict one another */
export function foldJournal(bytes) {
    const state = new LineageState();
    const reader = new JournalReader(state);
    reader.read(bytes);
    return { state, hash: reader.hash, validBytes: reader.validBytes };
}
