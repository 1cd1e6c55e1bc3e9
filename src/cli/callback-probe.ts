import { randomBytes } from 'node:crypto';
import {
  isListening,
  listenerFiles,
  readCallbackPort,
  removeProbe,
  writeProbe,
} from '../disk/listener-files.js';
import { lifeOf } from '../disk/machine.js';
import { readRunLock } from '../disk/run-lock.js';
import { statePaths, type StatePlace } from '../disk/state-paths.js';
import { LOCAL, type Environment } from '../model/environment.js';
import { messageOf, WindlassError } from '../model/error.js';
import { networkFailure } from '../model/network-failure.js';
import { callbackBase, listenPlace } from '../remote/inbox.js';
import { openKeeper } from './keeper.js';

/** Longest wait for the probe to come back. */
const TIMEOUT_MS = 15_000;

/** What a probe found: that callbacks arrive, or why that cannot be tried now. */
export interface Probed {
  readonly arrived: boolean;
  readonly message: string;
}

/**
 * Sends a callback with a token of its own through the address that the service is told, to the listener that runs or
 * to one that is opened for it. Nothing of it is kept.
 *
 * @throws CALLBACKS_PORT when the address cannot be reached or listened on; STATE_*
 */
export async function probeCallbacks(
  { callbacks, name }: Pick<Environment, 'callbacks' | 'name'>,
  place: StatePlace,
): Promise<Probed> {
  if (callbacks === 'off') return { arrived: true, message: 'off: steps are settled by reads' };
  const paths = statePaths(place);
  const files = listenerFiles(paths);
  const listening = await isListening(files);
  const holder = await readRunLock(paths.runLock);
  if (!listening && holder !== undefined && lifeOf(holder) !== 'dead') {
    return { arrived: false, message: 'a run listens; it takes no probe' };
  }
  const { host, port } = listenPlace(callbacks.listen, await readCallbackPort(files));
  const own = listening
    ? undefined
    : await openKeeper({ paths, host, port, anyPort: name === LOCAL, kept: () => undefined });
  try {
    const token = randomBytes(32).toString('base64url');
    await writeProbe(paths, token);
    const base = callbackBase(callbacks, { host, port: own?.port ?? port });
    await post(base, token);
    const who = listening ? 'the running listener' : 'a listener opened for it';
    return { arrived: true, message: `a probe through ${new URL(base).origin} reached ${who}` };
  } finally {
    await removeProbe(files);
    await own?.close();
  }
}

/** @throws CALLBACKS_PORT; no message holds the token */
async function post(base: string, token: string): Promise<void> {
  const { origin } = new URL(base);
  const response = await fetch(`${base}/cb/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((thrown: unknown) => {
    const why = networkFailure(thrown)?.reason ?? messageOf(thrown).replaceAll(token, '…');
    throw unreachable(`${origin} cannot be reached: ${why}`);
  });
  if (response.status !== 200) throw unreachable(`${origin} answers ${response.status} to a callback`);
}

function unreachable(reason: string): WindlassError {
  return new WindlassError('CALLBACKS_PORT', `${reason}.`, {
    advice: 'Callbacks cannot arrive: correct callbacks.url, or what forwards it to callbacks.listen.',
  });
}
