import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/** How many digests are remembered as written. */
const REMEMBERED = 10_000;

/** Files under one folder, each named by the digest of its bytes. */
export class DiskFiles {
  readonly #folder: string;
  /** Digests of files that are there: what lies in the folder is not looked for twice. */
  readonly #there = new Set<string>();
  readonly #folders = new Set<string>();
  /** Requests that wrote a file, or found it there, and have not said yet whether it is kept. */
  readonly #holders = new Map<string, number>();
  /** The last thing that is done with a digest; what comes next waits for it. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a file unless it is there. It stays until {@link release}. */
  hold(digest: string, bytes: Uint8Array): Promise<void> {
    return this.#alone(digest, async () => {
      if (!this.#there.has(digest)) await this.#write(digest, bytes);
      this.#holders.set(digest, (this.#holders.get(digest) ?? 0) + 1);
    });
  }

  /**
   * Ends the holding of a file. One that nobody holds any more is removed, unless it is needed.
   *
   * @param isNeeded whether anything on record names it; undefined: it was kept
   */
  release(digest: string, isNeeded: (() => Promise<boolean>) | undefined): Promise<void> {
    return this.#alone(digest, async () => {
      const left = (this.#holders.get(digest) ?? 1) - 1;
      if (left > 0) this.#holders.set(digest, left);
      else this.#holders.delete(digest);
      if (left > 0 || isNeeded === undefined || (await isNeeded())) return;
      this.#there.delete(digest);
      await rm(this.#placeOf(digest), { force: true });
    });
  }

  read(digest: string): Promise<Uint8Array> {
    return readFile(this.#placeOf(digest));
  }

  /** The file as a stream, which is to be read or destroyed. */
  async open(digest: string): Promise<{ readonly size: number; readonly stream: Readable }> {
    const handle = await open(this.#placeOf(digest), 'r');
    try {
      const { size } = await handle.stat();
      return { size, stream: handle.createReadStream() };
    } catch (cause) {
      await handle.close();
      throw cause;
    }
  }

  async #write(digest: string, bytes: Uint8Array): Promise<void> {
    const place = this.#placeOf(digest);
    const size = await stat(place).then(
      (found) => found.size,
      () => -1,
    );
    if (size !== bytes.byteLength) {
      const parent = dirname(place);
      if (!this.#folders.has(parent)) await mkdir(parent, { recursive: true });
      this.#folders.add(parent);
      await writeWhole(place, bytes);
    }
    if (this.#there.size >= REMEMBERED) this.#there.clear();
    this.#there.add(digest);
  }

  /** Does one thing at a time with a digest. */
  async #alone<T>(digest: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(digest) ?? Promise.resolve();
    const mine = before.then(task, task);
    this.#last.set(digest, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(digest) === mine) this.#last.delete(digest);
    }
  }

  #placeOf(digest: string): string {
    return join(this.#folder, digest.slice(0, 2), digest);
  }
}

async function writeWhole(place: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${place}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    await filled(handle, bytes);
    await rename(unfinished, place);
  } catch (cause) {
    // Half a file takes room that there may be none of.
    await rm(unfinished, { force: true });
    throw cause;
  }
}

async function filled(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  try {
    await handle.writeFile(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
