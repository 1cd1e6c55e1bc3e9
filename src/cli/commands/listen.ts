import { acquireRunLock, readRunLock, type RunLock } from '../../disk/run-lock.js';
import { listenerFiles, readCallbackPort, writeCallbackPort } from '../../disk/listener-files.js';
import { lifeOf } from '../../disk/machine.js';
import { statePaths, type StatePaths } from '../../disk/state-paths.js';
import { LOCAL } from '../../model/environment.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { WindlassError } from '../../model/error.js';
import { callbackBase, listenPlace } from '../../remote/inbox.js';
import type { Listener } from '../../remote/listener.js';
import { SYSTEM_CLOCK } from '../clock.js';
import { openKeeper, type KeeperPlace } from '../keeper.js';
import { findPlan, requirePlan } from '../plan-file.js';
import { sharedTokens } from '../shared-tokens.js';
import { placeOf } from '../session.js';
import { openEventStream, type EventStream, type StreamFlags } from '../event-stream.js';
import { failureEvent } from '../failure.js';
import { printNote, printResult, type Terminal } from '../terminal.js';
import { printWarnings } from '../warnings.js';

/** Flags of `listen`. */
export interface ListenFlags extends StreamFlags {
  readonly env?: string;
}

/** How often it is tried whether a run has freed the port. */
const RETRY_MS = 200;

/**
 * Receives and keeps callbacks, on the port and with the tokens of this environment's runs, until a signal ends it. A
 * run that begins meanwhile takes what is kept; one that is active keeps the port until it ends.
 *
 * @throws CALLBACKS_OFF, CALLBACKS_PORT, LISTENER_RUNNING, STATE_*
 */
export async function listen(
  terminal: Terminal,
  named: string | undefined,
  flags: ListenFlags,
): Promise<ExitCode> {
  const stream = openEventStream(flags, terminal);
  try {
    return await listenUntilEnded(terminal, named, flags, stream);
  } catch (thrown) {
    stream.emit(failureEvent(thrown, { environment: flags.env, plan: named }));
    throw thrown;
  } finally {
    stream.close();
  }
}

async function listenUntilEnded(
  terminal: Terminal,
  named: string | undefined,
  flags: ListenFlags,
  stream: EventStream,
): Promise<ExitCode> {
  const file = await findPlan(named, terminal);
  const { environment } = await requirePlan(file, flags.env, printWarnings(terminal));
  const { callbacks, name } = environment;
  if (callbacks === 'off') throw new WindlassError('CALLBACKS_OFF', `${name} has callbacks: off.`);
  const statePlace = placeOf(file, environment);
  const paths = statePaths(statePlace);
  const files = listenerFiles(paths);
  const lock = await takeLock(files.lock);
  const release = terminal.interruption.hold();
  try {
    const { host, port } = listenPlace(callbacks.listen, await readCallbackPort(files));
    const kept = (token: string): void => {
      const attempt = token.slice('sha256:'.length, 15);
      stream.emit({ type: 'callback-kept', attempt });
      printNote(terminal, `Kept a callback of attempt ${attempt}.`);
    };
    const shared = statePlace.git === undefined ? {} : { shared: sharedTokens(statePlace) };
    const place = { paths, host, port, anyPort: name === LOCAL, kept, ...shared };
    const listener = await openWhenFree(place, terminal);
    if (listener === undefined) return EXIT.done;
    try {
      await writeCallbackPort(files, listener.port);
      const url = callbackBase(callbacks, { host, port: listener.port });
      stream.emit({ type: 'listening', url });
      if (!stream.onStdout) printResult(terminal, `Listening at ${url}`);
      await ended(terminal.interruption.signal);
    } finally {
      await listener.close();
    }
    return EXIT.done;
  } finally {
    release();
    await lock.release();
  }
}

async function takeLock(path: string): Promise<RunLock> {
  try {
    return await acquireRunLock(path, { run: 'listener', since: new Date().toISOString() });
  } catch (thrown) {
    if (!(thrown instanceof WindlassError) || thrown.code !== 'RUN_LOCKED') throw thrown;
    const holder = await readRunLock(path);
    throw new WindlassError(
      'LISTENER_RUNNING',
      `Process ${holder?.pid ?? 0} on ${holder?.host ?? '?'} keeps the callbacks since ${holder?.since ?? '?'}.`,
      { cause: thrown },
    );
  }
}

/** Waits while a run has the port. @returns undefined when a signal came first */
async function openWhenFree(place: KeeperPlace, terminal: Terminal): Promise<Listener | undefined> {
  const { signal } = terminal.interruption;
  for (let tries = 0; !signal.aborted; tries += 1) {
    const busy = await isRunning(place.paths);
    try {
      return await openKeeper({ ...place, anyPort: place.anyPort && !busy });
    } catch (thrown) {
      if (!busy || !(thrown instanceof WindlassError) || thrown.code !== 'CALLBACKS_PORT') throw thrown;
    }
    if (tries === 0) printNote(terminal, 'A run has the port; waiting for its end.');
    await SYSTEM_CLOCK.sleep(RETRY_MS, signal);
  }
  return undefined;
}

async function isRunning(paths: StatePaths): Promise<boolean> {
  const holder = await readRunLock(paths.runLock);
  return holder !== undefined && lifeOf(holder) !== 'dead';
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
