import { statePaths } from '../../src/disk/state-paths.js';
import { digestOf } from '../../src/model/canonical.js';
/** Where the simulated lineage lives. */
export const PLACE = { root: '/r', planFile: 'windlass.yaml', environment: 'sim' };
/** Its files. */
export const PATHS = statePaths(PLACE);
/** The platform that it belongs to. */
export const TARGET = { origin: 'https://service.example.com', client: digestOf('client') };
