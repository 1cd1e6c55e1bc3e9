import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { messageOf, WindlassError } from '../../model/error.js';
import { tellDone, type AnswerFlags } from '../output/answer.js';
import type { Terminal } from '../terminal.js';
import { storeOptions, storePlace, type StoreFlags } from './platform-hosting.js';

/** Writes everything of the folder's stopped platform into a file. @throws PLATFORM_RUNNING, PLATFORM_DATA */
export async function exportData(
  terminal: Terminal,
  file: string,
  flags: StoreFlags & AnswerFlags,
): Promise<ExitCode> {
  const { exportPlatform } = await import('../../platform/archive.js');
  const path = resolve(terminal.cwd, file);
  if (existsSync(path)) throw new WindlassError('CLI_USAGE', `${file} is there already.`);
  const { rows, files } = await stopped(() => exportPlatform(storePlace(terminal, flags), path));
  tellDone(terminal, flags, { file: path, records: rows, files }, [
    `${file} holds ${rows} records and ${files} files.`,
    'Custodial keys and people stay sealed: keep their key-encryption key apart. Names and records are in the clear.',
  ]);
  return EXIT.done;
}

/** Fills the empty folder of a platform from a file. @throws PLATFORM_RUNNING, PLATFORM_DATA */
export async function importData(
  terminal: Terminal,
  file: string,
  flags: StoreFlags & AnswerFlags,
): Promise<ExitCode> {
  const { importPlatform } = await import('../../platform/archive.js');
  const path = resolve(terminal.cwd, file);
  const place = storePlace(terminal, flags);
  const { rows, files, kek } = await stopped(() => importPlatform(place, path));
  const document = { records: rows, files, ...(kek !== undefined && { key_encryption_key: kek }) };
  tellDone(terminal, flags, document, [
    `The platform has ${rows} records and ${files} files.`,
    ...(kek === undefined
      ? []
      : [
          `It starts with the key-encryption key ${kek} only, with which the platform sealed what is in it: give it with ` +
            '--kek-file (where it had made one for itself: key-encryption.key in its data folder).',
        ]),
  ]);
  return EXIT.done;
}

/** Wraps what the folder's stopped platform sealed with another key. @throws PLATFORM_RUNNING, PLATFORM_DATA */
export async function rotateKey(
  terminal: Terminal,
  flags: StoreFlags & AnswerFlags & { readonly to: string },
): Promise<ExitCode> {
  const { rotatePlatformKey } = await import('../../platform/rotate.js');
  const { kek } = storeOptions(terminal, flags);
  const to = resolve(terminal.cwd, flags.to);
  const count = await stopped(() => rotatePlatformKey(storePlace(terminal, flags), { from: kek, to }));
  tellDone(
    terminal,
    flags,
    { rotated: count, key_file: to },
    `${count} sealed records are wrapped anew: start the platform with --kek-file ${flags.to}.`,
  );
  return EXIT.done;
}

async function stopped<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof WindlassError) throw cause;
    const locked = cause instanceof Error && /^(Folder|Database)Locked$/.test(cause.name);
    const code = locked ? 'PLATFORM_RUNNING' : 'PLATFORM_DATA';
    throw new WindlassError(code, `${messageOf(cause)}.`, { cause });
  }
}
