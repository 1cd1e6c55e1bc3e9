import { randomUUID } from 'node:crypto';
import { openAttemptTokens } from '../disk/attempt-tokens.js';
import { REAL_DISK, type Disk } from '../disk/disk.js';
import {
  isListening,
  listenerFiles,
  readCallbackPort,
  writeCallbackPort,
  type ListenerFiles,
} from '../disk/listener-files.js';
import type { RunState } from '../disk/run-state.js';
import type { Ports } from '../execute/ports.js';
import { LOCAL, type Environment } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import { callbackBase, listenPlace, openInbox, type OpenInbox } from '../remote/inbox.js';
import { SYSTEM_CLOCK } from './clock.js';
import type { Failpoints } from './failpoint.js';
import { takeState, type LockFlags } from './lock-wait.js';
import type { Session } from './session.js';
import { openSpoolInbox } from './spool-inbox.js';
import { recorderOf, takeInLate } from './state-session.js';
import { isSet, type Terminal } from './terminal.js';

/** The state of a lineage opened for one run, and the ports that the run acts through. */
export interface RunSession {
  /** Id of the run. */
  readonly run: string;
  readonly state: RunState;
  readonly ports: Ports;
  /** Puts the lockfile in place: what the journal amounts to by now. */
  writeLockfile(): Promise<void>;
  /** Closes listener, tokens, journal and run lock. */
  close(): Promise<void>;
}

/**
 * Takes the run lock and opens journal, tokens and callback listener.
 *
 * @throws RUN_LOCKED, LOCK_OTHER_TARGET, JOURNAL_*, CALLBACKS_PORT, STATE_*
 */
export async function openRunSession(
  session: Session,
  terminal: Terminal,
  flags: LockFlags,
): Promise<RunSession> {
  const run = randomUUID();
  const failpoints = await failpointsOf(terminal.env);
  const disk = failpoints?.disk(REAL_DISK) ?? REAL_DISK;
  const taken = await takeState({ session, terminal, flags, run, disk });
  const { state } = taken;
  const closing: (() => Promise<void>)[] = [() => taken.close()];
  const close = async (): Promise<void> => {
    for (let step = closing.pop(); step; step = closing.pop()) await step();
  };
  try {
    const inbox = await openCallbacks(session, { state, disk }, closing);
    const sound: Ports = { service: session.service, journal: state.journal, inbox, clock: SYSTEM_CLOCK };
    const ports = failpoints?.ports(sound) ?? sound;
    await takeInLate(session, state, recorderOf(session, state));
    const writeLockfile = async (): Promise<void> => {
      if (state.lock !== undefined) await state.writeLockfile(state.lock);
    };
    return { run, state, ports, writeLockfile, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** What tests of crashes ask for; nothing of it is loaded otherwise. @throws CLI_USAGE */
async function failpointsOf(env: Terminal['env']): Promise<Failpoints | undefined> {
  const { WINDLASS_FAILPOINT: text } = env;
  if (text === undefined || !isSet(text)) return undefined;
  return (await import('./failpoint.js')).openFailpoints(text);
}

async function openCallbacks(
  session: Session,
  { state, disk }: { readonly state: RunState; readonly disk: Disk },
  closing: (() => Promise<void>)[],
): Promise<OpenInbox> {
  const tokens = await openAttemptTokens(state.paths.tokens, {
    steps: (digest) => state.state.stepOfToken(digest),
    disk,
  });
  closing.push(() => tokens.close());
  const { paths } = state;
  const files = listenerFiles(paths);
  const lastPort = await readCallbackPort(files);
  const { callbacks, name } = session.plan.environment;
  const listen = (anyPort: boolean): Promise<OpenInbox> =>
    openInbox({
      callbacks,
      tokens,
      clock: SYSTEM_CLOCK,
      anyPort,
      ...(lastPort !== undefined && { port: lastPort }),
    });
  const base = callbacks === 'off' ? undefined : await listenerBase(callbacks, files, lastPort);
  const inbox = base
    ? openSpoolInbox({
        ...base,
        spool: paths.spool,
        state: state.state,
        tokens,
        isListening: () => isListening(files),
        takeOver: () => listen(false).catch(() => undefined),
      })
    : await listen(name === LOCAL);
  closing.push(() => inbox.close());
  if (inbox.port !== undefined && inbox.port !== lastPort) await writeCallbackPort(files, inbox.port);
  return inbox;
}

/**
 * How the service reaches the listener that runs; undefined when none does.
 *
 * @throws CALLBACKS_PORT when it listens elsewhere than the plan says: what was sent would be called back to nobody
 */
async function listenerBase(
  callbacks: Exclude<Environment['callbacks'], 'off'>,
  files: ListenerFiles,
  lastPort: number | undefined,
): Promise<{ readonly url: string; readonly port: number } | undefined> {
  if (!(await isListening(files))) return undefined;
  const place = listenPlace(callbacks.listen, lastPort);
  if (place.port === 0) return undefined;
  if (lastPort !== undefined && lastPort !== place.port) {
    throw new WindlassError(
      'CALLBACKS_PORT',
      `The listener that runs has port ${lastPort}, but callbacks.listen of the plan says ${place.port}.`,
      { advice: 'End `windlass listen` and start it again.' },
    );
  }
  return { url: callbackBase(callbacks, place), port: place.port };
}
