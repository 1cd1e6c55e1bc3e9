import type { Digest } from '../model/canonical.js';
import type { RunEnded, RunStarted } from './event.js';

/** One apply of the lineage; `ended` is absent after a crash or while it runs. */
export interface RunRecord {
  readonly started: RunStarted;
  readonly ended?: RunEnded;
}

/** The applies of a lineage. */
export class RunBook {
  readonly #runs: RunRecord[] = [];
  /** How many attempts there were before each run. */
  readonly #before: number[] = [];
  /** The first attempt of the bounded runs without another one among them, by its number. */
  #boundedFrom = Number.POSITIVE_INFINITY;

  /** All, oldest first. A live view. */
  get all(): readonly RunRecord[] {
    return this.#runs;
  }

  /** @param attempts how many there are */
  begin(started: RunStarted, attempts: number): void {
    this.#runs.push({ started });
    this.#before.push(attempts);
    this.#boundedFrom =
      started.bounded === true ? Math.min(this.#boundedFrom, attempts) : Number.POSITIVE_INFINITY;
  }

  /** True for an attempt, by its number, since when all runs were bounded, its own included. */
  isBounded(attempt: number): boolean {
    return attempt >= this.#boundedFrom;
  }

  /** The plan of the run that made an attempt, by its number. */
  planOf(attempt: number): Digest | undefined {
    return this.#runs[this.#before.findLastIndex((before) => before <= attempt)]?.started.plan;
  }

  /** Ends the newest run of that name. */
  end(ended: RunEnded): void {
    const index = this.#runs.findLastIndex(({ started }) => started.run === ended.run);
    const run = this.#runs[index];
    if (run !== undefined) this.#runs[index] = { ...run, ended };
  }
}
