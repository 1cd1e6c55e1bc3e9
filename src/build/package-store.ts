import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { integrityOf } from './registry.js';

/** Bytes of tarballs that are kept unless more or fewer are given. */
const CACHE_BYTES = 1024 * 1024 * 1024;

/** Age after which a file that was never finished is nobody's, in milliseconds. */
const ABANDONED = 3_600_000;

/**
 * Fetched tarballs by their SHA-512, in a folder that platforms may share. What is read is what that digest says, or it
 * counts as not there; what is written appears whole or not at all; those used least recently go when there is no room.
 */
export class PackageStore {
  readonly #folder: string;
  readonly #bytes: number;

  constructor(cacheDir: string, bytes: number = CACHE_BYTES) {
    this.#folder = join(cacheDir, 'tarballs');
    this.#bytes = bytes;
  }

  /** @param integrity `sha512-…` @returns undefined when it is not there; what was changed is removed */
  async read(integrity: string): Promise<Buffer | undefined> {
    const path = this.#path(integrity);
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes === undefined) return undefined;
    if (integrityOf(bytes) !== integrity) {
      await rm(path, { force: true }).catch(() => undefined);
      return undefined;
    }
    const now = new Date();
    await utimes(path, now, now).catch(() => undefined);
    return bytes;
  }

  /** Keeps a tarball; where the disk does not let it, it is fetched again the next time. */
  async keep(integrity: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#bytes) return;
    const path = this.#path(integrity);
    await writeWhole(this.#folder, path, bytes);
    await this.#makeRoom(path);
  }

  #path(integrity: string): string {
    return join(this.#folder, `${Buffer.from(integrity.slice(7), 'base64').toString('hex')}.tgz`);
  }

  async #makeRoom(newest: string): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const about = await stat(path).catch(() => undefined);
        return about ? [{ path, size: about.size, at: about.mtimeMs }] : [];
      }),
    );
    const entries = found.flat().sort((a, b) => b.at - a.at);
    let kept = 0;
    for (const { path, size, at } of entries) {
      const abandoned = path.endsWith('.tmp') && Date.now() - at > ABANDONED;
      kept += size;
      if (abandoned || (kept > this.#bytes && path !== newest && !path.endsWith('.tmp')))
        await rm(path, { force: true }).catch(() => undefined);
    }
  }
}

/**
 * Small records by key, in a folder that platforms may share: which version was chosen for what. A record that was cut
 * off or changed counts as not there.
 */
export class RecordStore {
  readonly #folder: string;

  constructor(cacheDir: string) {
    this.#folder = join(cacheDir, 'choices');
  }

  async read(key: string): Promise<string | undefined> {
    const text = await readFile(this.#path(key), 'utf8').catch(() => '');
    const record = text.slice(text.indexOf('\n') + 1);
    return text.startsWith(`${digestOf(record)}\n`) ? record : undefined;
  }

  async keep(key: string, record: string): Promise<void> {
    await writeWhole(this.#folder, this.#path(key), Buffer.from(`${digestOf(record)}\n${record}`));
    const names = await readdir(this.#folder).catch(() => []);
    if (names.length <= MOST_RECORDS) return;
    const aged = await Promise.all(
      names.map(async (name) => {
        const about = await stat(join(this.#folder, name)).catch(() => undefined);
        return { name, at: about?.mtimeMs ?? 0 };
      }),
    );
    for (const { name } of aged.sort((a, b) => a.at - b.at).slice(0, MOST_RECORDS / 2))
      await rm(join(this.#folder, name), { force: true }).catch(() => undefined);
  }

  #path(key: string): string {
    return join(this.#folder, `${digestOf(key)}.json`);
  }
}

/** Records that a folder keeps; the oldest half goes. */
const MOST_RECORDS = 5000;

async function writeWhole(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(unfinished, bytes, { mode: 0o600 });
    await rename(unfinished, path);
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
