import * as files from 'node:fs/promises';
/** The disk of this machine. */
export const REAL_DISK = files;
