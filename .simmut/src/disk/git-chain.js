import { WindlassError } from '../model/error.js';
import { foldJournal } from '../state/codec.js';
import { own } from './git-home.js';
import { parseHolder } from './run-lock.js';
/** In a commit: the records that it adds to the journal. */
export const RECORDS = 'records.jsonl';
/** In a commit: the run that holds the lineage; absent when it is free. */
export const HOLDER = 'holder.json';
/**
 * Reads the commits up to a tip that is present, and trusts none of them: one parent each, whole records, and the hash
 * chain over all.
 *
 * @throws JOURNAL_CORRUPT, JOURNAL_NEWER; STATE_WRITE when our own repository cannot be read
 */
export async function readChain(home, tip) {
    if (tip === undefined) {
        const { state, hash } = foldJournal(new Uint8Array());
        return { tip, commits: [], bytes: new Uint8Array(), state, hash, holder: undefined };
    }
    const commits = await commitsUpTo(home, tip);
    const names = commits.toReversed().map((id) => `${id}:${RECORDS}`);
    const files = await readFiles(home, [...names, `${tip}:${HOLDER}`]);
    const holder = files.pop();
    const segments = files.filter((file) => file !== undefined);
    if (segments.some((segment) => segment.at(-1) !== 0x0a))
        throw corrupt('a commit holds half a record');
    const bytes = Buffer.concat(segments);
    const { state, hash } = foldJournal(bytes);
    return { tip, commits, bytes, state, hash, holder: holder && parseHolder(holder.toString('utf8')) };
}
async function commitsUpTo(home, tip) {
    const output = await own(home, { args: ['rev-list', '--parents', tip, '--'] });
    const lines = output.toString('latin1').split('\n').slice(0, -1);
    return lines.map((line) => {
        const [id = '', , second] = line.split(' ');
        if (second !== undefined)
            throw corrupt(`commit ${id} joins two histories`);
        return id;
    });
}
/** Contents by `COMMIT:PATH`; undefined for what is not there. */
async function readFiles(home, names) {
    const output = await own(home, { args: ['cat-file', '--batch'], input: `${names.join('\n')}\n` });
    const files = [];
    let at = 0;
    for (const name of names) {
        const end = output.indexOf(0x0a, at);
        const [, type, size] = output.toString('latin1', at, end).split(' ');
        at = end + 1;
        if (end < 0)
            throw corrupt(`${name} cannot be read`);
        if (type === 'missing')
            files.push(undefined);
        else if (type !== 'blob')
            throw corrupt(`${name} is not a file`);
        else {
            files.push(output.subarray(at, at + Number(size)));
            at += Number(size) + 1;
        }
    }
    return files;
}
function corrupt(why) {
    return new WindlassError('JOURNAL_CORRUPT', `The journal in Git cannot be used: ${why}.`);
}
