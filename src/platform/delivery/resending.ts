import { setTimeout as pause } from 'node:timers/promises';
import type { PlatformClock } from '../clock.js';
import { callbackItem, type CallbackRow, type ResentCallback } from './callback-item.js';
import { SENDING, type CallbackRows } from './callback-rows.js';

/** How long whoever sends a callback again waits for its answer, in milliseconds: a little longer than receivers may take. */
const PATIENCE = 16_000;

/** What sending again depends on. */
export interface ResendingParts {
  readonly rows: CallbackRows;
  readonly clock: PlatformClock;
  /** Whether an attempt of a callback is under way. */
  readonly isFlying: (id: number) => boolean;
  /** Makes the outbox look for what is due. */
  readonly wake: () => void;
}

/** Callbacks that people send again, and what came of it. */
export class Resending {
  readonly #parts: ResendingParts;
  /** Whoever asks for one that is being sent again waits for the same attempt. */
  readonly #running = new Map<string, Promise<ResentCallback | undefined>>();
  /** Who waits for the end of a callback's attempt. */
  readonly #waiting = new Map<number, () => void>();

  constructor(parts: ResendingParts) {
    this.#parts = parts;
  }

  /**
   * Sends a callback again, whatever its state, and tells what came of it as far as it is known after 16 seconds. An
   * attempt that is under way already is the sending again. Undefined: the organisation has no such callback.
   */
  resend(org: string, id: number): Promise<ResentCallback | undefined> {
    const key = `${String(id)} ${org}`;
    const running = this.#running.get(key);
    if (running) return running;
    const begun = this.#resend(org, id).finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }

  /** Tells whoever waits that an attempt of a callback ended. */
  ended(id: number): void {
    this.#waiting.get(id)?.();
  }

  async #resend(org: string, id: number): Promise<ResentCallback | undefined> {
    const { rows, clock, isFlying, wake } = this.#parts;
    const before = await rows.find(org, id);
    if (!before) return undefined;
    const isSent = (row: CallbackRow): boolean => ended(row) > ended(before);
    const late = new AbortController();
    const patience = pause(PATIENCE, undefined, { signal: late.signal, ref: false }).catch(() => undefined);
    try {
      if (isFlying(id)) await Promise.race([this.#end(id), patience]);
      let row = (await rows.find(org, id)) ?? before;
      // What was under way may have been recorded before it was asked for.
      if (!isSent(row) && !isFlying(id)) {
        const end = this.#end(id);
        await rows.resend(org, id, clock.now());
        wake();
        await Promise.race([end, patience]);
        row = (await rows.find(org, id)) ?? before;
      }
      return { ...callbackItem(row), sent: isSent(row) };
    } finally {
      late.abort();
      this.#waiting.delete(id);
    }
  }

  #end(id: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}

/** Attempts that were made to their end. */
function ended({ attempts, last_result }: CallbackRow): number {
  return last_result === SENDING ? attempts - 1 : attempts;
}
