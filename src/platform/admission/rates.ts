import { Busy } from './refusals.js';

interface Bucket {
  /** Below zero: a debt. */
  tokens: number;
  filled: number;
}

/** Buckets that are kept; beyond that, those that are full again are forgotten, then the oldest. */
const BUCKETS = 20_000;

/** How many requests each caller may make: a bucket that holds a minute's and fills evenly. */
export class Rates {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param perMinute Infinity: any number @param now milliseconds since 1970 */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /**
   * Spends tokens of a caller, or none.
   *
   * @param tokens counts as a minute's when it is more
   * @throws Busy 429 when the caller has fewer
   */
  spend(caller: string, tokens = 1): void {
    const rate = this.#perMinute;
    if (rate === Infinity) return;
    const bucket = this.#bucketOf(caller);
    const cost = Math.min(tokens, rate);
    if (bucket.tokens < cost) {
      const seconds = ((cost - bucket.tokens) * 60) / rate;
      throw new Busy(429, 'Too many requests, please try again later.', seconds);
    }
    bucket.tokens -= cost;
  }

  /** Takes tokens for what was used before it could be counted: a debt of a minute's at most. */
  charge(caller: string, tokens: number): void {
    if (this.#perMinute === Infinity) return;
    const bucket = this.#bucketOf(caller);
    bucket.tokens = Math.max(bucket.tokens - tokens, -this.#perMinute);
  }

  /** True when a caller has used more than it had. */
  isInDebt(caller: string): boolean {
    return this.#perMinute !== Infinity && this.#bucketOf(caller).tokens < 0;
  }

  #bucketOf(caller: string): Bucket {
    const now = this.#now();
    const known = this.#buckets.get(caller);
    if (known) {
      this.#fill(known, now);
      return known;
    }
    if (this.#buckets.size >= BUCKETS) this.#forget(now);
    const bucket = { tokens: this.#perMinute, filled: now };
    this.#buckets.set(caller, bucket);
    return bucket;
  }

  #fill(bucket: Bucket, now: number): void {
    const earned = (Math.max(0, now - bucket.filled) * this.#perMinute) / 60_000;
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + earned);
    bucket.filled = now;
  }

  #forget(now: number): void {
    for (const [caller, bucket] of this.#buckets) {
      this.#fill(bucket, now);
      if (bucket.tokens >= this.#perMinute) this.#buckets.delete(caller);
    }
    for (const caller of this.#buckets.keys()) {
      if (this.#buckets.size < BUCKETS) return;
      this.#buckets.delete(caller);
    }
  }
}
