import type { Digest } from '../model/canonical.js';
import type { StepId } from '../model/id.js';
import { isOpen, isSimplyConfirmed, type Attempt } from './attempt.js';
import { NumberSet } from './number-set.js';
import { tokenHash, tokenHashOf } from './token-index.js';

/** An attempt as it is now, and its number. */
interface Live {
  readonly number: number;
  attempt: Attempt;
}

/** The attempts that are kept as objects, and their tokens. */
export class LiveAttempts {
  /** By number: the open ones, all that did not simply succeed, and those that are open once more. */
  readonly open = new NumberSet();
  readonly unproven = new NumberSet();
  readonly reopened = new NumberSet();
  readonly #steps = new Map<StepId, Live>();
  readonly #numbers = new Map<number, Live>();
  readonly #tokens = new Map<Digest, StepId>();
  /** How the digests of the tokens begin, so that text has to be made of few others. Undefined until somebody asks. */
  #hashes: Set<number> | undefined;

  get(step: StepId): Attempt | undefined {
    return this.#steps.get(step)?.attempt;
  }

  at(number: number): Attempt | undefined {
    return this.#numbers.get(number)?.attempt;
  }

  numberOf(step: StepId): number | undefined {
    return this.#steps.get(step)?.number;
  }

  /** Adds an attempt. */
  add(number: number, attempt: Attempt): void {
    const live = { number, attempt };
    this.#steps.set(attempt.step, live);
    this.#numbers.set(number, live);
    this.#sort(live);
  }

  /** Puts an attempt in the place of what it was before. @returns false for one that is not here */
  change(attempt: Attempt): boolean {
    const live = this.#steps.get(attempt.step);
    if (live === undefined) return false;
    const before = live.attempt;
    live.attempt = attempt;
    this.#sort(live, before);
    return true;
  }

  /** Notes whose token it is. */
  putToken(token: Digest, step: StepId): void {
    this.#tokens.set(token, step);
    this.#hashes?.add(tokenHashOf(token));
  }

  /** The attempt that a callback token belongs to. */
  stepOfToken(token: Digest): StepId | undefined {
    return this.#tokens.get(token);
  }

  /** True for the bytes of the digest of a token that one of these has. */
  hasToken(bytes: Buffer, from: number): boolean {
    this.#hashes ??= new Set([...this.#tokens.keys()].map(tokenHashOf));
    if (!this.#hashes.has(tokenHash(bytes, from))) return false;
    return this.#tokens.has(`sha256:${bytes.toString('hex', from, from + 32)}`);
  }

  /** Notes what it belongs to now. @param before what it was; absent: it is new */
  #sort({ number, attempt }: Live, before?: Attempt): void {
    const sort = (set: NumberSet, belongs: (one: Attempt) => boolean): void => {
      const wanted = belongs(attempt);
      if (wanted !== (before !== undefined && belongs(before))) set.include(number, wanted);
    };
    sort(this.open, isOpen);
    sort(this.unproven, isUnproven);
    sort(this.reopened, isReopened);
  }
}

function isUnproven(attempt: Attempt): boolean {
  return !isSimplyConfirmed(attempt);
}

function isReopened({ contradicted }: Attempt): boolean {
  return contradicted === 'reopened';
}
