import { join } from 'node:path';
import type { GitState } from '../model/environment.js';
import { WindlassError } from '../model/error.js';

/** Where the state of a lineage lives: beside which plan, for which environment. */
export interface StatePlace {
  /** The plan's folder. */
  readonly root: string;
  /** The plan's file name, e.g. `windlass.yaml`. */
  readonly planFile: string;
  readonly environment: string;
  /** Journal and lock live in Git; absent: beside the plan. */
  readonly git?: GitPlace;
}

/** Where in Git, and how it is looked at. */
export interface GitPlace extends GitState {
  /** True: nobody is asked; what was seen last counts. */
  readonly offline?: boolean;
}

/** The files of a lineage (design §4), absolute when the root is. */
export interface StatePaths {
  readonly root: string;
  /** Private folder of everything but the lockfile. */
  readonly folder: string;
  readonly journal: string;
  /** Callback tokens of attempts. */
  readonly tokens: string;
  readonly runLock: string;
  /** Callbacks that came while no run was active. */
  readonly spool: string;
  readonly lockfile: string;
  /** Which lockfile was written last, and from which journal. */
  readonly lockfileMark: string;
  /** Folder of the lockfile's sidecars. */
  readonly sidecars: string;
}

const DEFAULT_STEM = 'windlass';

/**
 * The paths for a place. Names derive from the plan's file name, so that two plans of one folder share nothing;
 * the plan `windlass.yaml` has the short ones.
 *
 * @throws STATE_UNSAFE for an environment that would leave the folder
 */
export function statePaths(place: StatePlace): StatePaths {
  const { root, environment } = place;
  const stem = place.planFile.replace(/\.ya?ml$/i, '');
  if (![stem, environment].every((name) => /^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(name))) {
    throw new WindlassError('STATE_UNSAFE', `No file can be named after ${stem} and ${environment}.`);
  }
  const folder = join(
    root,
    '.windlass',
    'env',
    stem === DEFAULT_STEM ? environment : `${environment}@${stem}`,
  );
  return {
    root,
    folder,
    journal: join(folder, 'journal.jsonl'),
    tokens: join(folder, 'tokens'),
    runLock: join(folder, 'run.lock'),
    spool: join(folder, 'spool'),
    lockfileMark: join(folder, 'lockfile-mark.json'),
    lockfile: join(root, `${stem}.${environment}.lock.json`),
    sidecars: join(root, `${stem}.${environment}.lock`),
  };
}

/** File name of a batch's sidecar; different for every batch and safe for every name. */
export function sidecarName(batch: string): string {
  return `${encodeURIComponent(batch).replace(/^\./, '%2E')}.ndjson`;
}
