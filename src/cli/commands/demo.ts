import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EVERYTHING } from '../../diff/selection.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { paletteOf } from '../../report/palette.js';
import { openEventStream, type EventStream, type StreamFlags } from '../event-stream.js';
import { failureEvent } from '../failure.js';
import { findPlan } from '../plan-file.js';
import { openSession, type Session } from '../session.js';
import { commandLine } from '../../report/shell-word.js';
import { printNote, type Terminal } from '../terminal.js';
import { applySession } from './apply.js';
import { copyTemplate, type Template } from './init.js';
import { verifySession } from './verify.js';

/** Flags of `demo`. */
export interface DemoFlags extends StreamFlags {
  readonly template: Template;
  readonly keep?: boolean;
}

/**
 * The whole story on a bundled example: platform, change set, apply, verify, addresses, and a second apply that finds
 * nothing to do. The exit code is that of the first part that did not go well.
 *
 * @param named folder to play in; kept. Without one, a temporary folder that is removed unless `--keep` is given
 */
export async function demo(
  terminal: Terminal,
  named: string | undefined,
  flags: DemoFlags,
): Promise<ExitCode> {
  const stream = openEventStream(flags, terminal);
  const folder =
    named === undefined ? await mkdtemp(join(tmpdir(), 'windlass-demo-')) : resolve(terminal.cwd, named);
  const kept = named !== undefined || flags.keep === true;
  try {
    await mkdir(folder, { recursive: true });
    await copyTemplate(flags.template, folder);
    return await playStory(terminal, folder, stream);
  } catch (thrown) {
    stream.emit(failureEvent(thrown));
    throw thrown;
  } finally {
    stream.close();
    if (kept) printNote(terminal, `Kept in ${folder}: ${commandLine(['cd', folder])} && windlass plan`);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function playStory(terminal: Terminal, folder: string, stream: EventStream): Promise<ExitCode> {
  const title = (text: string): void =>
    printNote(terminal, `\n${paletteOf(terminal.err.colour).strong(text)}`);
  title('1. The embedded platform');
  const session = await openSession(terminal, await findPlan(folder, terminal), undefined);
  try {
    printNote(terminal, `Ready: real compiler, real chain, real callbacks, in ${folder}`);
    const parts = { terminal, session, stream };
    title('2. The change set, and its apply');
    const applied = await applyAll(parts);
    if (applied !== EXIT.done) return applied;
    title('3. Verify: what is locked against the platform and the chain');
    const verified = await verifySession({ ...parts, terminal: onNotes(terminal) }, 'text');
    if (verified !== EXIT.done) return verified;
    title('4. Apply again: nothing to do, and nothing is sent');
    return await applyAll({ ...parts, terminal: onNotes(terminal) });
  } finally {
    await session.close();
  }
}

function applyAll(parts: {
  readonly terminal: Terminal;
  readonly session: Session;
  readonly stream: EventStream;
}): Promise<ExitCode> {
  return applySession(
    { ...parts, flags: { yes: true } },
    { selection: EVERYTHING, forget: false, refreshOnly: false },
  );
}

/** The same terminal with results among the notes: stdout gets the addresses once. */
function onNotes(terminal: Terminal): Terminal {
  return { ...terminal, out: terminal.err };
}
