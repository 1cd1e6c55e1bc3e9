import { join } from 'node:path';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { writeAtomically } from './atomic-file.js';
import { REAL_DISK, type Disk } from './disk.js';
import { ensurePrivateFolder, fileFailure, readPrivateFile, syncFolder, systemCode } from './private-file.js';

/** Most bodies kept for one attempt; a sender that repeats itself fills no disk. */
export const MAX_BODIES = 16;

/** A callback that waits for a run. */
export interface SpooledCallback {
  /** Digest of the attempt's token. */
  readonly token: Digest;
  /** The body, byte for byte as it came. */
  readonly body: Uint8Array;
  /** Its file in the spool. */
  readonly name: string;
}

/** Callbacks received while no run was active: one durable file each, in a private folder. */
export interface CallbackSpool {
  /**
   * Keeps a body; durable when it resolves, so that the sender may then be answered 200. `repeated`: the same body
   * is there already. `full`: the attempt has {@link MAX_BODIES}; the body is dropped, the sender may be answered 200.
   *
   * @throws STATE_WRITE
   */
  keep(token: Digest, body: Uint8Array): Promise<'kept' | 'repeated' | 'full'>;
  /**
   * Hands every callback over, those of one attempt in order of arrival, and removes each once `deliver` is done,
   * which must mean durable. What `deliver` declines with `false` stays, e.g. an attempt that is not known yet.
   */
  drain(deliver: (callback: SpooledCallback) => Promise<boolean>): Promise<void>;
}

const NAME = /^([0-9a-f]{64})-(\d{2})-([0-9a-f]{16})\.json$/;

/** Opens the spool, creating its folder (mode 0700) when missing. @throws STATE_UNSAFE, STATE_WRITE */
export async function openSpool(folder: string, disk: Disk = REAL_DISK): Promise<CallbackSpool> {
  await ensurePrivateFolder(folder, disk);
  return new SpoolFolder(folder, disk);
}

class SpoolFolder implements CallbackSpool {
  readonly #folder: string;
  readonly #disk: Disk;
  /** One at a time: a name depends on the names that are there. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  keep(token: Digest, body: Uint8Array): Promise<'kept' | 'repeated' | 'full'> {
    const kept = this.#turn.then(() => this.#keep(token, body));
    this.#turn = kept.catch(() => undefined);
    return kept;
  }

  async drain(deliver: (callback: SpooledCallback) => Promise<boolean>): Promise<void> {
    for (const name of await this.#names()) {
      const body = await readPrivateFile(join(this.#folder, name), this.#disk);
      if (body === undefined) continue;
      const token: Digest = `sha256:${name.slice(0, 64)}`;
      if (await deliver({ token, body, name })) await this.#remove(name);
    }
    await syncFolder(this.#folder, this.#disk);
  }

  async #keep(token: Digest, body: Uint8Array): Promise<'kept' | 'repeated' | 'full'> {
    const attempt = token.slice('sha256:'.length);
    const content = digestOfBytes(body).slice('sha256:'.length, 'sha256:'.length + 16);
    const there = (await this.#names()).filter((name) => name.startsWith(`${attempt}-`));
    if (there.some((name) => name.endsWith(`-${content}.json`))) return 'repeated';
    if (there.length >= MAX_BODIES) return 'full';
    const last = Number(NAME.exec(there.at(-1) ?? '')?.[2] ?? 0);
    const name = `${attempt}-${String(last + 1).padStart(2, '0')}-${content}.json`;
    await writeAtomically(join(this.#folder, name), body, 0o600, this.#disk);
    return 'kept';
  }

  /** Names of callbacks, sorted; temporary files of a crash are none. */
  async #names(): Promise<readonly string[]> {
    try {
      return (await this.#disk.readdir(this.#folder)).filter((name) => NAME.test(name)).sort();
    } catch (thrown) {
      throw fileFailure(this.#folder, thrown);
    }
  }

  async #remove(name: string): Promise<void> {
    try {
      await this.#disk.unlink(join(this.#folder, name));
    } catch (thrown) {
      if (systemCode(thrown) !== 'ENOENT') throw fileFailure(this.#folder, thrown);
    }
  }
}
