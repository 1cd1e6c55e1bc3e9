import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { ChainOrder, ChainWord } from './chain-order.js';

/** Pieces that may wait for the other thread; more would only take memory. */
const SLOTS = 4;

/** Memory of its JavaScript in MiB: it keeps nothing, so that it need not hoard garbage either. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** The end of a chain that was found unbroken. */
export interface ChainEnd {
  readonly hash: string;
  readonly validBytes: number;
}

/**
 * Checks the records of a journal and their hash chain in a thread of its own, while this one makes something of them.
 * Nothing may be believed of them before {@link end} has told the end of the chain.
 */
export class ChainCheck {
  readonly #worker: Worker;
  readonly #slots: Uint8Array<SharedArrayBuffer>[] = [];
  /** Pieces handed over, and those that the thread is done with. */
  #given = 0;
  #done = 0;
  #failed = false;
  #end: ChainEnd | undefined;
  #wake: () => void = () => undefined;

  constructor() {
    // None of the process's own flags and variables: they may be for the main script only.
    this.#worker = new Worker(workerFile(), { execArgv: [], env: {}, resourceLimits: MEMORY });
    this.#worker.unref();
    this.#worker.on('message', (word: ChainWord) => this.#hear(word));
    this.#worker.on('error', () => this.#fail());
    this.#worker.on('exit', () => this.#fail());
  }

  /** Hands a copy of the next bytes of the journal over. @returns false when it is not unbroken, or the thread is gone */
  async take(piece: Uint8Array): Promise<boolean> {
    while (!this.#failed && this.#given - this.#done >= SLOTS) await this.#news();
    if (this.#failed) return false;
    const bytes = this.#slot(piece.length);
    bytes.set(piece);
    this.#given += 1;
    this.#tell({ type: 'piece', bytes });
    return true;
  }

  /** The end of the chain once all is checked; undefined when it is not unbroken, or the thread is gone. */
  async end(): Promise<ChainEnd | undefined> {
    this.#tell({ type: 'end' });
    while (!this.#failed && this.#end === undefined) await this.#news();
    return this.#failed ? undefined : this.#end;
  }

  /** Ends the thread, whatever it does. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Memory for the next piece: the thread is done with what was there before, for pieces are checked in order. */
  #slot(length: number): Uint8Array<SharedArrayBuffer> {
    const index = this.#given % SLOTS;
    const known = this.#slots[index];
    const slot =
      known !== undefined && known.length >= length ? known : new Uint8Array(new SharedArrayBuffer(length));
    this.#slots[index] = slot;
    return slot.subarray(0, length);
  }

  #tell(order: ChainOrder): void {
    this.#worker.postMessage(order, []);
  }

  #hear(word: ChainWord): void {
    if (word.type === 'broken') this.#failed = true;
    else if (word.type === 'read') this.#done += 1;
    else this.#end = { hash: word.hash, validBytes: word.validBytes };
    this.#wake();
  }

  #fail(): void {
    this.#failed = true;
    this.#wake();
  }

  #news(): Promise<void> {
    this.#worker.ref();
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#worker.unref();
        resolve();
      };
    });
  }
}

/** The thread's code. A test runs the sources, which a thread cannot: it uses the build beside them. */
function workerFile(): URL {
  const beside = new URL('./chain-worker.js', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../dist/disk/chain-worker.js', import.meta.url);
}
