import { readFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../model/canonical.js';
import { digestOfBytes } from '../model/canonical.js';
import { writeAtomically } from './atomic-file.js';
import { lifeOf } from './machine.js';
import { ensurePrivateFolder, fileFailure, readPrivateFile, systemCode } from './private-file.js';
import { readRunLock } from './run-lock.js';
import type { StatePaths } from './state-paths.js';

/** The files by which the listener, runs and `doctor` of one lineage know of each other. */
export interface ListenerFiles {
  /** Held by the listener, as a run holds the run lock. */
  readonly lock: string;
  /** The port that callbacks arrive at, kept across runs. */
  readonly port: string;
  /** A token that the listener answers without keeping anything. */
  readonly probe: string;
}

/** Where these files are. */
export function listenerFiles({ folder }: Pick<StatePaths, 'folder'>): ListenerFiles {
  return {
    lock: join(folder, 'listener.lock'),
    port: join(folder, 'callback-port'),
    probe: join(folder, 'probe-token'),
  };
}

/**
 * True when a listener keeps callbacks, or may: one in another container of the same folder cannot be asked about.
 *
 * @throws STATE_UNSAFE, STATE_WRITE
 */
export async function isListening(files: ListenerFiles): Promise<boolean> {
  const holder = await readRunLock(files.lock);
  return holder !== undefined && lifeOf(holder) !== 'dead';
}

/** The port of the last run or listener; undefined before the first. @throws STATE_UNSAFE, STATE_WRITE */
export async function readCallbackPort(files: ListenerFiles): Promise<number | undefined> {
  const port = Number(Buffer.from((await readPrivateFile(files.port)) ?? []).toString('latin1'));
  return port > 0 ? port : undefined;
}

/** Keeps the port for later runs. @throws STATE_UNSAFE, STATE_WRITE */
export async function writeCallbackPort(files: ListenerFiles, port: number): Promise<void> {
  await writeAtomically(files.port, `${port}\n`);
}

/** Lets the listener know a probe's token. @throws STATE_UNSAFE, STATE_WRITE */
export async function writeProbe(paths: Pick<StatePaths, 'folder'>, token: string): Promise<void> {
  await ensurePrivateFolder(paths.folder);
  await writeAtomically(listenerFiles(paths).probe, token);
}

/** Ends a probe. @throws STATE_WRITE */
export async function removeProbe(files: ListenerFiles): Promise<void> {
  try {
    await unlink(files.probe);
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw fileFailure(files.probe, thrown);
  }
}

/** True for the token of a probe that is under way. Never throws. */
export function isProbe(files: ListenerFiles, token: string): boolean {
  try {
    return digest(readFileSync(files.probe, 'latin1')) === digest(token);
  } catch {
    return false;
  }
}

/** Digests are compared, so that time tells nothing of the token. */
function digest(text: string): Digest {
  return digestOfBytes(text);
}
