import { constants } from 'node:fs';
import { dirname } from 'node:path';
const ROOT = '/r';
const SYNC_MS = 1;
/** A disk that survives processes, with a page cache that survives only them. */
export class SimDisk {
    #names = new Map([[ROOT, { type: 'folder', mode: 0o755 }]]);
    #durable = new Map(this.#names);
    /** Changes of names that were not synced, by folder, oldest first. */
    #pending = new Map();
    #decisions;
    #time;
    constructor(decisions, time) {
        this.#decisions = decisions;
        this.#time = time;
    }
    /** The bytes of a file as a process would read them. */
    bytes(path) {
        const node = this.#names.get(path);
        return node?.type === 'file' ? node.bytes.subarray(0, node.size) : undefined;
    }
    /** The bytes of a file that a power loss would leave; its name must be durable too. */
    durableBytes(path) {
        const node = this.#durable.get(path);
        return node?.type === 'file' ? node.bytes.subarray(0, node.durable) : undefined;
    }
    /** Paths of all files. */
    files() {
        return [...this.#names].filter(([, node]) => node.type === 'file').map(([path]) => path);
    }
    /** A person removes a file. */
    remove(path) {
        this.#names.delete(path);
        this.#durable.delete(path);
    }
    /** The machine loses its power: what was not synced is left in part, or not at all. */
    losePower() {
        for (const [folder, changes] of this.#pending) {
            const kept = this.#decisions.next('names');
            const count = { nothing: 0, all: changes.length, one: 1, two: 2 }[kept];
            this.#settleNames(folder, count);
        }
        this.#pending.clear();
        this.#names.clear();
        for (const [path, node] of Array.from(this.#durable)) {
            if (!this.#isReachable(path))
                this.#durable.delete(path);
            else
                this.#names.set(path, node);
            if (node.type === 'file')
                this.#cut(node);
        }
    }
    #isReachable(path) {
        for (let folder = path; folder !== ROOT; folder = dirname(folder))
            if (!this.#durable.has(folder))
                return false;
        return true;
    }
    /** The disk as one process sees it. */
    for(caller) {
        const act = (allowed, action) => this.#act(caller, allowed, action);
        const look = async (action) => {
            for (let wait = caller.ready(); wait; wait = caller.ready())
                await wait;
            return action();
        };
        return {
            open: (path, flags, mode = 0o600) => this.#open(caller, path, flags, mode),
            mkdir: async (path, { mode }) => {
                for (let wait = caller.ready(); wait; wait = caller.ready())
                    await wait;
                if (this.#names.has(path))
                    return undefined;
                return act(WITHOUT_ROOM, () => this.#makeFolders(path, mode));
            },
            rename: (from, to) => act(NAMING, () => {
                const node = this.#names.get(from);
                if (node === undefined)
                    throw systemError('ENOENT');
                // In this order, so that no power loss leaves the file without any name.
                this.#setName(to, node);
                this.#setName(from, undefined);
            }),
            unlink: async (path) => {
                await look(() => this.#node(path));
                return act(NAMING, () => {
                    this.#node(path);
                    this.#setName(path, undefined);
                });
            },
            lstat: (path) => look(() => factsOf(this.#node(path))),
            readdir: (path) => look(() => {
                this.#node(path);
                const own = [...this.#names.keys()].filter((name) => dirname(name) === path);
                return own.map((name) => name.slice(path.length + 1));
            }),
        };
    }
    async #act(caller, allowed, action) {
        for (let wait = caller.ready(); wait; wait = caller.ready())
            await wait;
        const fault = this.#decisions.next('disk', allowed);
        if (fault === 'kill' || fault === 'power') {
            caller.die(fault);
            return never();
        }
        if (fault === 'enospc') {
            action(fault);
            throw systemError('ENOSPC');
        }
        if (fault === 'eio')
            throw systemError('EIO');
        const result = action(fault);
        const death = DEATHS.get(fault);
        if (death !== undefined) {
            caller.die(death);
            return never();
        }
        return result;
    }
    async #open(caller, path, flags, mode) {
        for (let wait = caller.ready(); wait; wait = caller.ready())
            await wait;
        const exists = this.#names.get(path);
        if (exists === undefined && (flags & constants.O_CREAT) === 0)
            throw systemError('ENOENT');
        if (exists !== undefined && (flags & constants.O_EXCL) !== 0)
            throw systemError('EEXIST');
        const node = exists ??
            (await this.#act(caller, WITHOUT_ROOM, (fault) => {
                if (fault === 'enospc')
                    throw systemError('ENOSPC');
                // Another process may have been first.
                const other = this.#names.get(path);
                if (other !== undefined && (flags & constants.O_EXCL) !== 0)
                    throw systemError('EEXIST');
                return other ?? this.#create(path, mode);
            }));
        return node.type === 'folder' ? this.#openFolder(caller, path) : this.#openFile(caller, node);
    }
    #openFolder(caller, path) {
        const sync = async () => {
            await this.#act(caller, SYNCING, () => undefined);
            await this.#synced(caller, () => this.#settleNames(path, Number.POSITIVE_INFINITY));
        };
        const none = () => Promise.reject(systemError('EISDIR'));
        return {
            write: none,
            readFile: none,
            read: none,
            truncate: none,
            datasync: sync,
            sync,
            stat: () => Promise.resolve(factsOf({ type: 'folder', mode: 0o700 })),
            close: () => caller.ready() ?? Promise.resolve(),
        };
    }
    #openFile(caller, node) {
        const sync = async () => {
            // What was written meanwhile may be left behind: only what was there when the sync began is promised.
            const size = await this.#act(caller, SYNCING, () => node.size);
            await this.#synced(caller, () => {
                node.durable = Math.max(node.durable, Math.min(size, node.size));
                node.before = undefined;
            });
        };
        return {
            write: (bytes) => this.#act(caller, WRITING, (fault) => {
                const count = isPartial(fault) ? Math.ceil(bytes.length / 2) : bytes.length;
                append(node, bytes.subarray(0, count));
                return { bytesWritten: count };
            }),
            readFile: async () => {
                for (let wait = caller.ready(); wait; wait = caller.ready())
                    await wait;
                return Buffer.from(node.bytes.subarray(0, node.size));
            },
            read: async (target, _offset, length, position) => {
                for (let wait = caller.ready(); wait; wait = caller.ready())
                    await wait;
                const bytes = node.bytes.subarray(position, Math.min(node.size, position + length));
                target.set(bytes);
                return { bytesRead: bytes.length };
            },
            truncate: (length) => this.#act(caller, NAMING, () => {
                node.before ??= Buffer.from(node.bytes.subarray(0, node.durable));
                node.size = Math.min(node.size, length);
                node.durable = Math.min(node.durable, length);
            }),
            datasync: sync,
            sync,
            stat: async () => {
                for (let wait = caller.ready(); wait; wait = caller.ready())
                    await wait;
                return factsOf(node);
            },
            close: () => caller.ready() ?? Promise.resolve(),
        };
    }
    /** A sync takes time, in which other things happen. */
    async #synced(caller, settle) {
        await new Promise((resolve) => {
            this.#time.after(SYNC_MS, () => {
                if (caller.alive)
                    settle();
                resolve();
            });
        });
        for (let wait = caller.ready(); wait; wait = caller.ready())
            await wait;
    }
    #cut(node) {
        if (node.before !== undefined && this.#decisions.next('rest') === 'nothing') {
            node.bytes = node.before;
            node.size = node.before.length;
            node.durable = node.size;
        }
        node.before = undefined;
        const dirty = node.size - node.durable;
        if (dirty > 0)
            node.size = node.durable + leftOf(dirty, this.#decisions.next('rest'));
        node.durable = node.size;
    }
    #makeFolders(path, mode) {
        const missing = [];
        for (let at = path; !this.#names.has(at); at = dirname(at))
            missing.unshift(at);
        for (const folder of missing)
            this.#setName(folder, { type: 'folder', mode });
        return missing[0];
    }
    #create(path, mode) {
        if (this.#names.get(dirname(path))?.type !== 'folder')
            throw systemError('ENOENT');
        const bytes = Buffer.allocUnsafe(1024);
        const node = { type: 'file', mode, bytes, size: 0, durable: 0, before: undefined };
        this.#setName(path, node);
        return node;
    }
    #setName(path, node) {
        if (node === undefined)
            this.#names.delete(path);
        else
            this.#names.set(path, node);
        const folder = dirname(path);
        const changes = this.#pending.get(folder) ?? [];
        changes.push({ path, node });
        this.#pending.set(folder, changes);
    }
    #settleNames(folder, count) {
        const changes = this.#pending.get(folder) ?? [];
        for (const { path, node } of changes.splice(0, Math.min(count, changes.length))) {
            if (node === undefined)
                this.#durable.delete(path);
            else
                this.#durable.set(path, node);
        }
    }
    #node(path) {
        const node = this.#names.get(path);
        if (node === undefined)
            throw systemError('ENOENT');
        return node;
    }
}
const NAMING = ['none', 'kill', 'kill-after', 'power', 'power-after', 'eio'];
const SYNCING = NAMING;
const WITHOUT_ROOM = [...NAMING, 'enospc'];
const WRITING = [...WITHOUT_ROOM, 'short', 'torn-kill'];
const DEATHS = new Map([
    ['kill-after', 'kill'],
    ['power-after', 'power'],
    ['torn-kill', 'kill'],
]);
function isPartial(fault) {
    return fault === 'enospc' || fault === 'short' || fault === 'torn-kill';
}
function append(node, bytes) {
    const size = node.size + bytes.length;
    if (size > node.bytes.length) {
        const larger = Buffer.allocUnsafe(2 * size);
        node.bytes.copy(larger, 0, 0, node.size);
        node.bytes = larger;
    }
    node.bytes.set(bytes, node.size);
    node.size = size;
}
function leftOf(dirty, rest) {
    if (rest === 'nothing')
        return 0;
    if (rest === 'all')
        return dirty;
    if (rest === 'newline')
        return dirty - 1;
    return Math.floor((dirty * Number(rest.slice('some-'.length))) / 8);
}
function factsOf(node) {
    return {
        mode: node.mode,
        size: node.type === 'file' ? node.size : 0,
        isFile: () => node.type === 'file',
        isDirectory: () => node.type === 'folder',
    };
}
/** A promise of its own each time: one for all would hold on to everything that ever waited for it. */
function never() {
    return new Promise(() => undefined);
}
/** Without a stack, which costs more than all else here; many of these are no failure, e.g. of a file that is not there. */
function systemError(code) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
        return Object.assign(new Error(`${code}: the disk says so`), { code });
    }
    finally {
        Error.stackTraceLimit = stackTraceLimit;
    }
}
