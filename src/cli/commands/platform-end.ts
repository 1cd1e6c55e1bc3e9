import { rm, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findPlatform, unregisterPlatform } from '../../disk/platform-registration.js';
import { LOCAL } from '../../model/environment.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { SYSTEM_CLOCK } from '../clock.js';
import { confirmAction } from '../confirm.js';
import { platformFolders } from '../local-platform.js';
import { tellDone, type AnswerFlags } from '../output/answer.js';
import type { Terminal } from '../terminal.js';

const STOP_MS = 30_000;

/** Stops the platform of a folder at a quiet point; its data stay. */
export async function stopPlatform(terminal: Terminal, flags: AnswerFlags): Promise<ExitCode> {
  const found = await findPlatform(terminal.cwd);
  if (found?.state === 'foreign') {
    throw new WindlassError(
      'PLATFORM_RUNNING',
      'The platform runs on another machine or in another container.',
      {
        advice: 'Stop it there.',
      },
    );
  }
  if (found?.state !== 'running') {
    if (found) await unregisterPlatform(terminal.cwd, found.registration.pid);
    tellDone(terminal, flags, { stopped: false }, 'No embedded platform runs in this folder.');
    return EXIT.done;
  }
  const { pid } = found.registration;
  process.kill(pid, 'SIGTERM');
  const began = SYSTEM_CLOCK.nowMs();
  while (SYSTEM_CLOCK.nowMs() - began < STOP_MS) {
    const still = await findPlatform(terminal.cwd);
    if (still?.state !== 'running' || still.registration.pid !== pid) {
      tellDone(terminal, flags, { stopped: true, pid }, 'The embedded platform has stopped; its data stay.');
      return EXIT.done;
    }
    await SYSTEM_CLOCK.sleep(50);
  }
  throw new WindlassError('PLATFORM_RUNNING', `Process ${pid} did not stop within ${STOP_MS / 1000} s.`);
}

/**
 * Removes the data of the platform, and with them the journals and lockfiles of `local`, which speak of nothing any
 * more. Compilers and packages stay.
 *
 * @throws PLATFORM_RUNNING; CLI_CONFIRMATION_MISSING, CLI_DECLINED
 */
export async function resetPlatform(
  terminal: Terminal,
  flags: AnswerFlags & { readonly yes?: boolean },
): Promise<ExitCode> {
  const found = await findPlatform(terminal.cwd);
  if (found !== undefined && found.state !== 'stale') {
    throw new WindlassError('PLATFORM_RUNNING', 'The platform of this folder runs.', {
      advice: 'Stop it first: `windlass platform stop`.',
    });
  }
  await confirmAction(
    'Remove the data of the embedded platform, its chain and what was released to it?',
    flags,
    terminal,
  );
  const { dataDir } = platformFolders(terminal.cwd, terminal.env);
  const lineages = await entriesOf(join(terminal.cwd, '.windlass', 'env'), isLocalLineage);
  const locks = await entriesOf(terminal.cwd, (name) => /\.local\.lock(\.json)?$/.test(name));
  for (const path of [dataDir, ...lineages, ...locks]) await rm(path, { recursive: true, force: true });
  tellDone(terminal, flags, { reset: true }, 'The embedded platform begins anew at its next start.');
  return EXIT.done;
}

function isLocalLineage(name: string): boolean {
  return name === LOCAL || name.startsWith(`${LOCAL}@`);
}

async function entriesOf(folder: string, wanted: (name: string) => boolean): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter(wanted).map((name) => join(folder, name));
}
