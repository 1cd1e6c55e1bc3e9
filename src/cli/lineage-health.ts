import { lifeOf } from '../disk/machine.js';
import { findHolder } from '../disk/run-holder.js';
import { openState } from '../disk/state-folder.js';
import type { StatePlace } from '../disk/state-paths.js';
import { WindlassError } from '../model/error.js';
import { counted } from '../report/palette.js';

/** The journal can be read whole, and its lockfile goes with it. @throws JOURNAL_*, LOCK_*, STATE_* */
export async function checkJournal(place: StatePlace): Promise<string> {
  const { state, origin, strangers, notices } = await openState(place);
  if (strangers.length > 0) {
    throw new WindlassError(
      'LOCK_UNREADABLE',
      `The lockfile holds ${strangers.join(', ')}, which the journal lacks.`,
    );
  }
  if (origin === 'fresh') return 'nothing was applied yet';
  const open = state.openAttempts.length;
  const steps = `${counted(state.attempts.size, 'attempt')}, ${open} of them open`;
  return origin === 'lockfile' ? (notices[0] ?? 'begins from the lockfile') : `whole: ${steps}`;
}

/** Nobody, or a process that lives, holds the run lock. @throws RUN_LOCKED for one that cannot be asked about */
export async function checkRunLock(place: StatePlace): Promise<string> {
  const held = await findHolder(place);
  if (held === undefined) return 'free';
  const { holder } = held;
  const who = `run ${holder.run}, process ${holder.pid} on ${holder.host || 'a machine not known'}`;
  const life = lifeOf(holder);
  if (life === 'alive') return `held by ${who}, which lives`;
  if (life === 'dead') return `left by ${who}, which is dead; the next run takes it over`;
  throw new WindlassError('RUN_LOCKED', `Held by ${who}, which cannot be asked about from here.`, {
    advice: 'When it is surely dead: `windlass unlock`.',
  });
}
