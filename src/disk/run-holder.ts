import { breakRunLock, readRunLock, type RunHolder } from './run-lock.js';
import { statePaths, type StatePlace } from './state-paths.js';

/** A lineage that a run holds, and the way to free it on a person's word. */
export interface Held {
  readonly holder: RunHolder;
  /** @throws RUN_LOCKED when the holder lives, or is another one by now; STATE_* */
  free(): Promise<void>;
}

/** Who holds a lineage, dead or alive; undefined when it is free. Changes nothing. @throws JOURNAL_*, LOCK_*, STATE_* */
export async function findHolder(place: StatePlace): Promise<Held | undefined> {
  const { runLock } = statePaths(place);
  const here = await readRunLock(runLock);
  const freeHere = async (): Promise<void> => {
    if (here !== undefined) await breakRunLock(runLock, here.run);
  };
  if (place.git !== undefined) {
    const { openGitState } = await import('./git-state.js');
    const lineage = await openGitState(place, place.git);
    const { holder } = lineage.chain;
    if (holder !== undefined) {
      const { freeGitLineage } = await import('./git-run.js');
      const free = async (): Promise<void> => {
        await freeGitLineage(lineage, holder);
        if (here?.run === holder.run) await freeHere();
      };
      return { holder, free };
    }
  }
  return here && { holder: here, free: freeHere };
}
