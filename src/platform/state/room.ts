import { randomBytes } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Records } from './records.js';

/** What watching over the room depends on. */
export interface RoomParts {
  /** Folder of the platform's data. */
  readonly dataDir: string;
  readonly records: Records;
  /** Told when there is room again: what waits for it goes on. */
  readonly recovered: () => void;
  /** Told once, each time that nothing can be recorded any more. */
  readonly failed: (cause: unknown) => void;
}

/** Bytes of a disk that are left free, so that what is under way can end: these, or a twentieth of a small disk. */
const RESERVE = 64_000_000;
const RESERVE_SHARE = 20;

/** Bytes that are written to see whether they can be. */
const TRIAL_BYTES = 65_536;

/** How long an answer holds, in milliseconds, and how often is looked: while there is room, and while there is none. */
const FRESH = 1000;
const LOOK_FULL = 2000;
const LOOK = 5000;

/** Codes of the system, of SQLite and of Postgres for a disk that takes nothing: full, broken, or read-only. */
const CODES = /^(ENOSPC|EDQUOT|EROFS|EIO|SQLITE_(FULL|READONLY|IOERR|CANTOPEN)\w*|53100|25006|58030)$/;
const TEXTS = /disk is full|disk I\/O error|readonly database|no space left/i;

/**
 * Whether anything can be recorded: on the disk of the data folder, and in the records. Known at any time as of a moment
 * ago; while nothing can be recorded, it is tried again by itself.
 */
export class Room {
  readonly #parts: RoomParts;
  #fault: string | undefined;
  #asked = -Infinity;
  #answer: Promise<string | undefined> = Promise.resolve(undefined);
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: RoomParts) {
    this.#parts = parts;
  }

  /** Why nothing can be recorded, as far as is known; undefined when it can. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Begins to watch. */
  start(): void {
    this.#wait();
  }

  /** Ends watching. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#answer;
  }

  /** Why nothing can be recorded now; many who ask share one trial. */
  look(): Promise<string | undefined> {
    if (performance.now() - this.#asked > FRESH && !this.#closed) {
      this.#asked = Infinity;
      this.#answer = this.#try().finally(() => {
        this.#asked = performance.now();
      });
    }
    return this.#answer;
  }

  /** Takes notice of an error: true when it says that nothing can be recorded. */
  noticed(cause: unknown): boolean {
    if (!isOfDisk(cause)) return false;
    this.#found(reasonOf(cause));
    return true;
  }

  #wait(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const again = async (): Promise<void> => {
      // While there is room, its size tells enough; what is full is tried in earnest.
      if (this.#fault !== undefined) await this.look();
      else if (await this.#isNearlyFull()) this.#found(FULL);
      this.#wait();
    };
    this.#timer = setTimeout(() => void again(), this.#fault === undefined ? LOOK : LOOK_FULL).unref();
  }

  async #try(): Promise<string | undefined> {
    const { dataDir, records } = this.#parts;
    const path = join(dataDir, `trial-${randomBytes(6).toString('hex')}.tmp`);
    try {
      if (await this.#isNearlyFull()) return this.#found(FULL);
      await writeFile(path, randomBytes(TRIAL_BYTES), { mode: 0o600, flush: true });
      const time = String(Date.now());
      const sql = `INSERT INTO meta (key, value) VALUES ('trial', ?) ON CONFLICT (key) DO UPDATE SET value = ?`;
      await records.transact((writer) => writer.run(sql, [time, time]));
      return this.#found(undefined);
    } catch (cause) {
      return this.#found(reasonOf(cause));
    } finally {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }

  async #isNearlyFull(): Promise<boolean> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#parts.dataDir);
      return bavail * bsize < Math.min(RESERVE, (blocks * bsize) / RESERVE_SHARE);
    } catch {
      return false;
    }
  }

  #found(fault: string | undefined): string | undefined {
    const before = this.#fault;
    this.#fault = fault;
    if (fault !== undefined && before === undefined) {
      this.#parts.failed(new Error(`nothing can be recorded: ${fault}`));
      this.#wait();
    }
    if (fault === undefined && before !== undefined) this.#parts.recovered();
    return fault;
  }
}

const FULL = 'the disk of the data folder is full';

function isOfDisk(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const { code } = cause as NodeJS.ErrnoException;
  return CODES.test(code ?? '') || TEXTS.test(cause.message);
}

/** The reason, without a path: health checks are for anybody. */
function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL|53100)$/.test(code ?? '') || /disk is full|no space left/i.test(message))
    return FULL;
  return `the disk of the data folder takes nothing (${code ?? 'no code'})`;
}
