import { Transform, type Readable, type TransformCallback } from 'node:stream';
import type { Holding } from '../admission/held-bytes.js';
import { Busy, tooLarge } from '../admission/refusals.js';

/** What a body on its way is held to. */
export interface IntakeRules {
  /** Largest body in bytes. */
  readonly largest: number;
  /** Counts what is held in memory. */
  readonly holding: Holding;
  /** Milliseconds that it may stand still. */
  readonly graceMs: number;
  /** Bytes in a second, at least, once its grace is used up. */
  readonly bytesPerSecond: number;
}

/**
 * A body as it comes: counted, bounded, and ended when it is too slow. What ends it is a refusal that can still be
 * answered: the connection stands.
 */
class Intake extends Transform {
  readonly #rules: IntakeRules;
  #received = 0;
  /** When it is too late; each byte that comes puts it off. */
  #deadline: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: IntakeRules) {
    super();
    this.#rules = rules;
    this.#deadline = performance.now() + rules.graceMs;
    this.#wait();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const { largest, holding, graceMs, bytesPerSecond } = this.#rules;
    this.#received += chunk.length;
    if (this.#received > largest) {
      done(tooLarge('body', largest));
      return;
    }
    try {
      holding.add(chunk.length);
    } catch (cause) {
      done(cause as Error);
      return;
    }
    const earned = (chunk.length * 1000) / bytesPerSecond;
    this.#deadline = Math.min(performance.now() + graceMs, this.#deadline + earned);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    clearTimeout(this.#timer);
    done();
  }

  override _destroy(cause: Error | null, done: (cause?: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(cause);
  }

  #wait(): void {
    const left = Math.max(1, this.#deadline - performance.now());
    this.#timer = setTimeout(() => {
      if (performance.now() < this.#deadline) {
        this.#wait();
        return;
      }
      // What a busy process has not read yet is no fault of the sender: it is read first.
      const before = this.#received;
      setImmediate(() => {
        setImmediate(() => {
          if (this.#received > before) this.#wait();
          else this.destroy(new Busy(408, 'The body came too slowly.', 1));
        });
      });
    }, left);
    this.#timer.unref();
  }
}

/** Takes a body in by the rules. @returns what is left to be read of it; it errors with the refusal */
export function takeIn(body: Readable, rules: IntakeRules): Readable {
  const intake = new Intake(rules);
  body.once('error', (cause) => intake.destroy(cause));
  body.once('close', () => {
    // Cut off: what was read of it is no body.
    if (!body.readableEnded) intake.destroy(new Error('the connection was closed'));
  });
  return body.pipe(intake);
}
