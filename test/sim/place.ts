import { statePaths, type StatePlace } from '../../src/disk/state-paths.js';
import { digestOf } from '../../src/model/canonical.js';
import type { Target } from '../../src/state/event.js';

/** Where the simulated lineage lives. */
export const PLACE: StatePlace = { root: '/r', planFile: 'windlass.yaml', environment: 'sim' };

/** Its files. */
export const PATHS = statePaths(PLACE);

/** The platform that it belongs to. */
export const TARGET: Target = { origin: 'https://service.example.com', client: digestOf('client') };
