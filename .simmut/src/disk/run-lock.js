import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { WindlassError } from '../model/error.js';
import { textMember, member } from '../model/json.js';
import { writeAll, writeAtomically } from './atomic-file.js';
import { REAL_DISK } from './disk.js';
import { lifeOf, ownIdentity, THIS_MACHINE } from './machine.js';
import { ensurePrivateFolder, FILE_MODE, fileFailure, readPrivateFile, systemCode } from './private-file.js';
/** Depth to which a takeover that died is itself taken over. */
const MAX_TAKEOVERS = 3;
const MAX_TRIES = 20;
const HOLDER_KEYS = ['run', 'since', 'pid', 'host', 'boot', 'started'];
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
/**
 * Takes the lock that lets one run at a time write to a lineage. A lock whose holder provably died (same host,
 * same boot, no such process) is taken over; age alone frees none, because nothing stops a holder that only paused.
 *
 * @throws RUN_LOCKED naming the holder; STATE_UNSAFE; STATE_WRITE
 */
export async function acquireRunLock(path, request, machine = THIS_MACHINE, disk = REAL_DISK) {
    await ensurePrivateFolder(dirname(path), disk);
    const holder = { run: request.run, since: request.since, ...ownIdentity(machine) };
    const tookOver = await take({ path, holder, machine, disk, depth: 0 });
    return {
        holder,
        ...(tookOver === undefined ? {} : { tookOver }),
        release: async () => {
            const now = await readRunLock(path, disk);
            if (now !== undefined && isSame(now, holder))
                await remove(path, disk);
        },
    };
}
/** Who holds the lock, dead or alive; undefined when it is free. Writes nothing. @throws STATE_UNSAFE, STATE_WRITE */
export async function readRunLock(path, disk = REAL_DISK) {
    const bytes = await readPrivateFile(path, disk);
    return bytes && parseHolder(Buffer.from(bytes).toString('utf8'));
}
/**
 * Frees the lock of a run on a person's word, for holders that cannot be asked about. Does nothing when it is free.
 *
 * @throws RUN_LOCKED when another run holds it, or when the holder is alive on this machine
 */
export async function breakRunLock(path, run, machine = THIS_MACHINE) {
    if ((await readRunLock(path)) === undefined)
        return undefined;
    const breaker = {
        run: `unlock of ${run}`,
        since: new Date().toISOString(),
        ...ownIdentity(machine),
    };
    return guarded({ path, holder: breaker, machine, disk: REAL_DISK, depth: 0 }, async () => {
        const holder = await readRunLock(path);
        if (holder === undefined)
            return undefined;
        if (holder.run !== run || lifeOf(holder, machine) === 'alive')
            throw lockedBy(holder);
        await remove(path, REAL_DISK);
        return holder;
    });
}
/**
 * Takes a free lock, or a dead holder's: then the dead one is returned. Two that find the same dead holder must not
 * both replace it, so replacing needs a second lock, for which the same rules hold.
 */
async function take(taking) {
    const { path, holder, machine, disk, depth } = taking;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        if (await createExclusively(path, formatHolder(holder), disk))
            return undefined;
        const found = await readRunLock(path, disk);
        if (found === undefined)
            continue;
        if (lifeOf(found, machine) !== 'dead' || depth >= MAX_TAKEOVERS)
            throw lockedBy(found);
        const replaced = await guarded(taking, async () => {
            const still = await readRunLock(path, disk);
            if (still === undefined || !isSame(still, found))
                return false;
            await writeAtomically(path, formatHolder(holder), FILE_MODE, disk);
            return true;
        });
        if (replaced)
            return found;
    }
    throw new WindlassError('RUN_LOCKED', 'The run lock is taken and freed again and again by other runs.');
}
async function guarded(taking, action) {
    const guard = `${taking.path}.takeover`;
    await take({ ...taking, path: guard, depth: taking.depth + 1 });
    try {
        return await action();
    }
    finally {
        await remove(guard, taking.disk);
    }
}
async function createExclusively(path, text, disk) {
    try {
        const file = await disk.open(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), FILE_MODE);
        try {
            await writeAll(file, Buffer.from(text));
            await file.sync();
        }
        catch (thrown) {
            await remove(path, disk);
            throw thrown;
        }
        finally {
            await file.close();
        }
        return true;
    }
    catch (thrown) {
        if (systemCode(thrown) === 'EEXIST')
            return false;
        throw fileFailure(path, thrown);
    }
}
async function remove(path, disk) {
    try {
        await disk.unlink(path);
    }
    catch (thrown) {
        if (systemCode(thrown) !== 'ENOENT')
            throw fileFailure(path, thrown);
    }
}
/** A holder as it is kept: one line of JSON. */
export function formatHolder(holder) {
    return `${JSON.stringify(holder)}\n`;
}
/** A holder from its text; what cannot be read is `unknown` or empty. */
export function parseHolder(text) {
    const value = parseJson(text);
    const pid = member(value, 'pid');
    const known = (key) => textMember(value, key) ?? '';
    const url = /^https?:\/\/[!-~]+$/.exec(textMember(value, 'url') ?? '')?.[0];
    return {
        run: textMember(value, 'run') ?? 'unknown',
        since: known('since'),
        pid: typeof pid === 'number' ? pid : 0,
        host: known('host'),
        boot: known('boot'),
        started: known('started'),
        ...(url !== undefined && { url }),
    };
}
function parseJson(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return null;
    }
}
function isSame(a, b) {
    return HOLDER_KEYS.every((key) => a[key] === b[key]);
}
/** Who holds a lock, in words without a full stop. */
export function describeHolder({ run, pid, host, since, url }) {
    const who = host === '' ? 'of which nothing more is known' : `process ${pid} on ${host} since ${since}`;
    return `Run ${run} holds the lock: ${who}${url === undefined ? '' : `, ${url}`}`;
}
/** The refusal that names a holder. */
export function lockedBy(holder) {
    return new WindlassError('RUN_LOCKED', `${describeHolder(holder)}.`);
}
