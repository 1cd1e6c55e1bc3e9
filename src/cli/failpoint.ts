import { subscribe } from 'node:diagnostics_channel';
import { basename } from 'node:path';
import type { Disk, OpenFile } from '../disk/disk.js';
import type { Inbox, Ports, Service } from '../execute/ports.js';
import { WindlassError } from '../model/error.js';

/** Where a run can be made to fail. `request.sent`: the last byte of a write was handed to the socket. */
const PLACES = [
  'journal.append',
  'journal.synced',
  'token.issue',
  'request.sent',
  'request.answered',
  'callback.received',
  'callback.recorded',
  'lockfile.write',
] as const;

const ON_DISK: ReadonlySet<Place> = new Set(['journal.append', 'token.issue', 'lockfile.write']);

type Place = (typeof PLACES)[number];
type Action = 'sigkill' | 'sigstop' | 'exit' | 'enospc';
type Hit = (place: Place) => void;

/** The doors of a run with failpoints in them. */
export interface Failpoints {
  /** A disk that fails in the files of a run. */
  disk(disk: Disk): Disk;
  /** Ports that fail. The journal fails by its disk. */
  ports(ports: Ports): Ports;
}

/**
 * Reads `WINDLASS_FAILPOINT`: `journal.append:7=sigkill` kills this process before its seventh write to the journal.
 * Actions: `sigkill`, `sigstop`, `exit`; `enospc` (a full disk) where something is written. For tests of what a crash
 * leaves behind; loaded only when the variable is set.
 *
 * @throws CLI_USAGE
 */
export function openFailpoints(text: string): Failpoints {
  const match = /^([a-z.]+)(?::([1-9]\d{0,5}))?=(sigkill|sigstop|exit|enospc)$/.exec(text);
  const place = PLACES.find((name) => name === match?.[1]);
  const action = match?.[3] as Action | undefined;
  if (place === undefined || action === undefined || (action === 'enospc' && !ON_DISK.has(place))) {
    throw new WindlassError('CLI_USAGE', `WINDLASS_FAILPOINT=${text} is no failpoint.`);
  }
  let left = Number(match?.[2] ?? 1);
  const hit: Hit = (reached) => {
    if (reached === place && (left -= 1) === 0) act(action);
  };
  if (place === 'request.sent') watchRequests(hit);
  return {
    disk: (disk) => failingDisk(disk, hit),
    ports: ({ service, inbox, ...rest }) => ({
      ...rest,
      service: failingService(service, hit),
      inbox: failingInbox(inbox, hit),
    }),
  };
}

function act(action: Action): void {
  if (action === 'exit') process.exit(1);
  if (action === 'enospc')
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  process.kill(process.pid, action === 'sigkill' ? 'SIGKILL' : 'SIGSTOP');
}

/** undici tells of each request whose body was sent; those to the node of the chain are reads. */
function watchRequests(hit: Hit): void {
  subscribe('undici:request:bodySent', (message) => {
    const { method, path } = (
      message as { readonly request: { readonly method: string; readonly path: string } }
    ).request;
    if (method !== 'GET' && !path.endsWith('/rpc')) hit('request.sent');
  });
}

function failingService(service: Service, hit: Hit): Service {
  return {
    read: (request) => service.read(request),
    write: async (request, callbackUrl, step, signal) => {
      const answer = await service.write(request, callbackUrl, step, signal);
      hit('request.answered');
      return answer;
    },
  };
}

function failingInbox(inbox: Inbox, hit: Hit): Inbox {
  return {
    open: (step) => inbox.open(step),
    receive: (handler) =>
      inbox.receive(async (step, body) => {
        hit('callback.received');
        await handler(step, body);
        hit('callback.recorded');
      }),
  };
}

function failingDisk(disk: Disk, hit: Hit): Disk {
  return {
    mkdir: (path, options) => disk.mkdir(path, options),
    unlink: (path) => disk.unlink(path),
    lstat: (path) => disk.lstat(path),
    readdir: (path) => disk.readdir(path),
    rename: (from, to) => {
      if (/\.lock\.json$|\.ndjson$/.test(to)) hit('lockfile.write');
      return disk.rename(from, to);
    },
    open: async (path, flags, mode) => {
      const file = await disk.open(path, flags, mode);
      if (basename(path) === 'journal.jsonl')
        return failingFile(file, hit, 'journal.append', 'journal.synced');
      return basename(path) === 'tokens' ? failingFile(file, hit, 'token.issue') : file;
    },
  };
}

function failingFile(file: OpenFile, hit: Hit, writing: Place, synced?: Place): OpenFile {
  let written = false;
  return {
    readFile: () => file.readFile(),
    read: (target, offset, lengthBytes, position) => file.read(target, offset, lengthBytes, position),
    truncate: (lengthBytes) => file.truncate(lengthBytes),
    sync: () => file.sync(),
    stat: () => file.stat(),
    close: () => file.close(),
    write: async (bytes) => {
      hit(writing);
      written = true;
      return file.write(bytes);
    },
    datasync: async () => {
      await file.datasync();
      if (written && synced !== undefined) hit(synced);
    },
  };
}
