import { digestOfBytes } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { certificateId, parseCertificateId, parseResourceId } from '../model/id.js';
import { isJsonObject, member, textMember } from '../model/json.js';
import { lockEntry, lockRecord, sorted } from './lock-record.js';
/** Version of the lockfile's format; a reader refuses a larger one. */
const LOCKFILE_VERSION = 1;
/**
 * The texts of a lock: equal locks have equal texts, byte for byte. Two runs of one plan on two fresh platforms
 * differ only in `lineage`, `serial`, `target`, `receipt`, `settled`, and in `digest` and `grades` of batches.
 */
export function formatLock(lock) {
    const entries = [...lock.entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const batches = batchTexts(entries);
    const inline = entries.filter(({ id }) => parseCertificateId(id) === undefined);
    const main = {
        addresses: addressesOf(inline),
        version: LOCKFILE_VERSION,
        target: sorted({ ...lock.target }),
        lineage: lock.lineage,
        serial: lock.serial,
        resources: Object.fromEntries(inline.map((entry) => [entry.id, lockRecord(entry)])),
        batches: Object.fromEntries([...batches].map(([name, { summary }]) => [name, summary])),
    };
    return {
        main: `${JSON.stringify(main, undefined, 2)}\n`,
        batches: new Map([...batches].map(([name, { text }]) => [name, text])),
    };
}
/**
 * The lock that the texts hold; the inverse of {@link formatLock}. Line ends may be those of any system.
 *
 * @throws LOCK_UNREADABLE when a text is damaged, edited so that its parts contradict one another, of a newer
 * version, or when a sidecar is missing or not the one that the main file names
 */
export function parseLock(main, batches) {
    const { batches: named, entries: inline, ...head } = parseLockfileHead(main);
    const entries = new Map(inline);
    for (const [batch, { rows, digest }] of named) {
        const text = unixLines(batches.get(batch) ?? '');
        if (digestOfBytes(text) !== digest) {
            throw unreadable(`the rows of batch ${batch} are missing or not those that the lockfile names`);
        }
        const parsed = text
            .split('\n')
            .slice(0, -1)
            .map((line, index) => parseRow(batch, line, index + 1));
        for (const entry of parsed)
            entries.set(entry.id, entry);
        if (new Set(parsed.map(({ id }) => id)).size !== rows)
            throw unreadable(`batch ${batch} does not have ${rows} rows`);
    }
    return { ...head, entries };
}
/** The main file alone. @throws LOCK_UNREADABLE */
export function parseLockfileHead(main) {
    const text = unixLines(main);
    if (/^(<{7}|>{7}) /m.test(text))
        throw unreadable('it holds the marks of an unfinished merge');
    const value = parseJson(text);
    const version = member(value, 'version');
    if (version !== LOCKFILE_VERSION)
        throw unreadable(`its version is ${JSON.stringify(version)}`);
    const serial = member(value, 'serial');
    if (!Number.isSafeInteger(serial) || Number(serial) < 0)
        throw unreadable('`serial` is not a count');
    const entries = parseEntries(objectOf(value, 'resources'));
    checkAddresses(objectOf(value, 'addresses'), [...entries.values()]);
    const target = parseTarget(member(value, 'target'));
    return {
        lineage: textOf(value, 'lineage'),
        serial: Number(serial),
        target,
        entries,
        batches: parseBatches(value),
    };
}
/** Resource id → address, of the entries that have one. */
function addressesOf(entries) {
    const addresses = {};
    for (const { id, outputs } of entries)
        if (outputs.address !== undefined)
            addresses[id] = outputs.address;
    return addresses;
}
function batchTexts(entries) {
    const rows = new Map();
    for (const entry of entries) {
        const parsed = parseCertificateId(entry.id);
        if (parsed === undefined)
            continue;
        const batch = rows.get(parsed.batch) ?? [];
        batch.push({ key: parsed.key, entry });
        rows.set(parsed.batch, batch);
    }
    const names = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(names.map(([name, batch]) => [name, batchText(batch)]));
}
function batchText(rows) {
    const grades = {};
    for (const { entry } of rows)
        grades[entry.grade] = (grades[entry.grade] ?? 0) + 1;
    const text = rows
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map(({ key, entry }) => `${JSON.stringify({ key, ...lockRecord(entry) })}\n`)
        .join('');
    return {
        text,
        summary: { rows: rows.length, grades: sorted(grades), digest: digestOfBytes(text) },
    };
}
function parseRow(batch, line, number) {
    const row = parseJson(line);
    const id = certificateId(batch, textOf(row, 'key'));
    const entry = lockEntry(id, row);
    if (typeof entry === 'string')
        throw unreadable(`line ${number} of batch ${batch} ${entry}`);
    return entry;
}
function parseEntries(resources) {
    const entries = new Map();
    for (const [key, record] of Object.entries(resources)) {
        if (parseResourceId(key) === undefined)
            throw unreadable(`${JSON.stringify(key)} is not the id of a resource`);
        const id = key;
        const entry = lockEntry(id, record);
        if (typeof entry === 'string')
            throw unreadable(`${id} ${entry}`);
        entries.set(id, entry);
    }
    return entries;
}
/** `addresses` repeats what the entries say, for readers; where they differ, somebody edited one of them. */
function checkAddresses(addresses, entries) {
    const expected = addressesOf(entries);
    const ids = [...Object.keys(addresses), ...Object.keys(expected)];
    const wrong = ids.find((id) => addresses[id] !== expected[id]);
    if (wrong !== undefined)
        throw unreadable(`\`addresses\` and the entry of ${wrong} name different addresses`);
}
function parseTarget(value) {
    const chain = textMember(value, 'chain');
    return {
        origin: textOf(value, 'origin'),
        client: textOf(value, 'client'),
        ...(chain === undefined ? {} : { chain }),
    };
}
function parseBatches(value) {
    return new Map(Object.entries(objectOf(value, 'batches')).map(([name, summary]) => [
        name,
        { rows: Number(member(summary, 'rows')), digest: textOf(summary, 'digest') },
    ]));
}
function parseJson(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        throw unreadable('it is not JSON');
    }
}
function textOf(value, key) {
    const text = textMember(value, key);
    if (text === undefined || text === '')
        throw unreadable(`\`${key}\` is missing`);
    return text;
}
function objectOf(value, key) {
    const found = member(value, key);
    if (!isJsonObject(found))
        throw unreadable(`\`${key}\` is missing`);
    return found;
}
/** A checkout may have changed the line ends. */
function unixLines(text) {
    return text.replaceAll('\r\n', '\n');
}
function unreadable(why) {
    return new WindlassError('LOCK_UNREADABLE', `The lockfile cannot be used: ${why}.`);
}
