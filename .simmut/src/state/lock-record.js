import { digestOf } from '../model/canonical.js';
import { kindOf, parseStepId } from '../model/id.js';
import { isJsonObject, member, textMember } from '../model/json.js';
const VOLATILE_WORDS = new Set([
    'at',
    'block',
    'gas',
    'hash',
    'nonce',
    'time',
    'timestamp',
    'transaction',
    'tx',
]);
const GRADES = ['A', 'B', 'C', 'D', 'O'];
/**
 * True for outputs that differ between two runs of one plan, told by their name: one of its words is
 * `transaction`, `tx`, `hash`, `block`, `nonce`, `gas`, `timestamp`, `time` or `at` (`blockNumber`, `created_at`).
 */
function isVolatileOutput(name) {
    return name.split(/_|(?=[A-Z])/).some((word) => VOLATILE_WORDS.has(word.toLowerCase()));
}
/** An entry as the lockfile writes it; members of objects sorted, so that equal entries have equal texts. */
export function lockRecord(entry) {
    const outputs = [];
    const receipt = [];
    for (const output of Object.entries(sorted(entry.outputs)))
        (isVolatileOutput(output[0]) ? receipt : outputs).push(output);
    return {
        outputs: Object.fromEntries(outputs),
        inputs: sorted(entry.inputs),
        digest: entry.digest,
        ...(receipt.length === 0 ? {} : { receipt: Object.fromEntries(receipt) }),
        settled: {
            grade: entry.grade,
            at: entry.at,
            ...(entry.step === undefined ? {} : { step: entry.step }),
        },
    };
}
/** The entry that a record holds, or what is wrong with the record. */
export function lockEntry(id, record) {
    const inputs = member(record, 'inputs');
    const outputs = member(record, 'outputs');
    const receipt = member(record, 'receipt') ?? {};
    if (inputs === undefined || !isJsonObject(outputs) || !isJsonObject(receipt)) {
        return 'lacks inputs or outputs';
    }
    const digest = digestOf(inputs);
    if (digest !== textMember(record, 'digest'))
        return 'has inputs that are not those of its digest';
    const how = settlement(member(record, 'settled'));
    if (how === undefined)
        return 'has a malformed `settled`';
    const all = { ...outputs, ...receipt };
    const texts = [all['address'], all['transaction']].every((value) => ['string', 'undefined'].includes(typeof value));
    if (!texts)
        return 'has an address or transaction that is not text';
    return { id, kind: kindOf(id), inputs, digest, outputs: all, ...how };
}
function settlement(value) {
    const grade = textMember(value, 'grade');
    const at = textMember(value, 'at');
    const step = member(value, 'step');
    if (grade === undefined || !GRADES.includes(grade) || at === undefined)
        return undefined;
    if (step === undefined)
        return { grade: grade, at };
    if (typeof step !== 'string' || parseStepId(step) === undefined)
        return undefined;
    return { grade: grade, at, step: step };
}
/** The value with the members of every object in order of code units. */
export function sorted(value) {
    if (Array.isArray(value))
        return value.map(sorted);
    if (!isJsonObject(value))
        return value;
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.flatMap((key) => {
        const item = value[key];
        return item === undefined ? [] : [[key, sorted(item)]];
    }));
}
