import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync, crc32 } from 'node:zlib';
import { createPublicClient, http, type PublicClient } from 'viem';
import { expect } from 'vitest';
import { inFolder, windlass, type Ended } from '../cli/command.js';
import { startPlatformHere } from './platform-here.js';

/** Long enough for any story on a busy machine, in milliseconds. */
export const STORY = 180_000;

/** One resource in a lockfile, as far as stories look at it. */
export interface LockedResource {
  readonly outputs: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** One line of a batch's file. */
export interface LockedRow extends LockedResource {
  readonly key: string;
}

/** A plan's folder with a running platform, as its author and an independent client see it. */
export interface Story {
  readonly folder: string;
  readonly apiUrl: string;
  /** Where the platform tells ground truth. */
  readonly truthUrl: string;
  readonly chain: PublicClient;
  /** Runs a command in the folder. */
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  /** Applies the plan and expects it to succeed. */
  readonly apply: (...args: readonly string[]) => Promise<Ended>;
  readonly write: (files: Files) => Promise<void>;
  /** Addresses by resource id. */
  readonly addresses: () => Promise<Readonly<Record<string, `0x${string}`>>>;
  readonly resources: () => Promise<Readonly<Record<string, LockedResource>>>;
  readonly rows: (batch: string) => Promise<readonly LockedRow[]>;
  /** A GET with the platform's key; the member `result`. */
  readonly get: (path: string) => Promise<unknown>;
}

/** Contents by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Tells a story in a folder of its own with a platform of its own, which is stopped afterwards. */
export async function tellStory(
  files: Files,
  env: Readonly<Record<string, string>>,
  tell: (story: Story) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    await writeFiles(folder, files);
    const run = (...args: readonly string[]) => windlass(args, { cwd: folder, env });
    const platform = await startPlatformHere(folder);
    try {
      await tell(await openStory(folder, platform.truthUrl, run));
    } finally {
      await platform.stop();
    }
  });
}

async function openStory(folder: string, truthUrl: string, run: Story['run']): Promise<Story> {
  const platform = await readJson<Record<string, string>>(join(folder, '.windlass/platform.json'));
  const { api_url: apiUrl = '', client_id = '', client_secret = '' } = platform;
  const lock = () =>
    readJson<{
      addresses: Record<string, `0x${string}`>;
      resources: Record<string, LockedResource>;
    }>(join(folder, 'windlass.local.lock.json'));
  return {
    folder,
    apiUrl,
    truthUrl,
    run,
    chain: createPublicClient({ transport: http(platform['rpc_url']) }),
    apply: async (...args) => {
      const ended = await run('apply', '--yes', ...args);
      expect(ended).toMatchObject({ code: 0 });
      return ended;
    },
    write: (files) => writeFiles(folder, files),
    addresses: async () => (await lock()).addresses,
    resources: async () => (await lock()).resources,
    rows: async (batch) => {
      const text = await readFile(join(folder, 'windlass.local.lock', `${batch}.ndjson`), 'utf8');
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as LockedRow);
    },
    get: async (path) => {
      const response = await fetch(`${apiUrl}${path}`, { headers: { client_id, client_secret } });
      return ((await response.json()) as { readonly result: unknown }).result;
    },
  };
}

/** Writes files below a folder. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** A copy of a folder in a temporary one, removed afterwards. */
export async function inCopyOf<T>(source: string, work: (folder: string) => Promise<T>): Promise<T> {
  return inFolder(async (folder) => {
    await cp(source, folder, { recursive: true });
    return work(folder);
  });
}

/** Paths below a folder, sorted. */
export async function pathsBelow(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

/** A lockfile without what two runs of one plan may differ in: target, lineage, serial, times and hashes. */
export async function comparableLock(folder: string): Promise<string> {
  const varying = new Set(['target', 'lineage', 'serial', 'at', 'receipt', 'metadatahash']);
  const lock = await readJson<unknown>(join(folder, 'windlass.local.lock.json'));
  return JSON.stringify(lock, (key, value: unknown) => (varying.has(key) ? undefined : value), 1);
}

/** A PNG of one pixel, followed by as many bytes as asked for. */
export function png(red: number, padding = 0): Uint8Array {
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
    chunk('IDAT', deflateSync(Buffer.from([0, red, 0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
    Buffer.alloc(padding),
  ]);
}

async function readJson<Shape>(path: string): Promise<Shape> {
  return JSON.parse(await readFile(path, 'utf8')) as Shape;
}
