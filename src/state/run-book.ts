import type { RunEnded, RunStarted } from './event.js';

/** One apply of the lineage; `ended` is absent after a crash or while it runs. */
export interface RunRecord {
  readonly started: RunStarted;
  readonly ended?: RunEnded;
}

/** The applies of a lineage. */
export class RunBook {
  readonly #runs: RunRecord[] = [];

  /** All, oldest first. A live view. */
  get all(): readonly RunRecord[] {
    return this.#runs;
  }

  begin(started: RunStarted): void {
    this.#runs.push({ started });
  }

  /** Ends the newest run of that name. */
  end(ended: RunEnded): void {
    const index = this.#runs.findLastIndex(({ started }) => started.run === ended.run);
    const run = this.#runs[index];
    if (run !== undefined) this.#runs[index] = { ...run, ended };
  }
}
