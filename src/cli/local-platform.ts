import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { findPlatform } from '../disk/platform-registration.js';
import { messageOf, WindlassError } from '../model/error.js';
import { networkFailure } from '../model/network-failure.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';
import { CAPABILITIES, type Capability } from '../protocol/endpoint.js';
import { SIGN } from '../protocol/sign.js';
import type { Credentials } from '../remote/access.js';
import { parseStrictJson } from '../remote/strict-json.js';
import type { Platform, PlatformOptions } from '../platform/platform.js';
import { registryChoice } from './registry-choice.js';
import { printNote, type Terminal } from './terminal.js';

/** What `GET /health` of the embedded platform says. */
export interface PlatformHealth {
  readonly id: string;
  readonly apiUrl: string;
  readonly rpcUrl: string;
  readonly consoleUrl: string;
  readonly chainId: number;
  /** Hash of the first block. */
  readonly genesis: string;
  readonly capabilities: readonly Capability[];
  /** What is begun is begun, and shown, within this time after it was sent, in milliseconds; absent over a foreign node. */
  readonly executionBoundMs?: number;
  /** Its answers bear the signs of their requests, and nothing on the way takes them off. */
  readonly signs: boolean;
}

/** The embedded platform as a command uses it. */
export interface LocalPlatform extends PlatformHealth {
  readonly credentials: Credentials;
  /** Started by this command, for its own lifetime. */
  readonly own: boolean;
  /** Stops the platform if it is this command's own. */
  close(): Promise<void>;
}

/** A platform on a busy machine answers late; where none listens, the connection is refused at once. */
const HEALTH_TIMEOUT_MS = 20_000;

/**
 * Where the embedded platform of a folder keeps its data, and compilers, packages and what was compiled. The latter
 * hold nothing of one folder, so that `WINDLASS_CACHE_DIR` names one place for many (of a CI runner, say).
 */
export function platformFolders(
  root: string,
  env: Terminal['env'],
): Pick<PlatformOptions, 'dataDir' | 'cacheDir'> {
  const { WINDLASS_CACHE_DIR: shared = '' } = env;
  return {
    dataDir: join(root, '.windlass', 'platform'),
    cacheDir: shared === '' ? join(root, '.windlass', 'cache') : resolve(root, shared),
  };
}

/**
 * Uses the embedded platform that runs in a folder, or starts one for the lifetime of this command. Says, in words, when
 * one is started and when it has an internal error.
 *
 * @throws PLATFORM_RUNNING when another command holds the data, PLATFORM_START
 */
export async function openLocalPlatform(root: string, terminal: Terminal): Promise<LocalPlatform> {
  const found = await findPlatform(root);
  if (found !== undefined && found.state !== 'stale') {
    const { api_url, client_id, client_secret, id } = found.registration;
    const health = await readHealth(api_url).catch(() => undefined);
    if (health?.id === id) {
      if (!health.signs) printNote(terminal, UNSIGNED);
      const credentials = { clientId: client_id, clientSecret: client_secret };
      return { ...health, apiUrl: api_url, credentials, own: false, close: async () => undefined };
    }
  }
  const note = (text: string): void => printNote(terminal, text);
  note('Starting the embedded platform …');
  const platform = await startEmbedded({
    ...platformFolders(root, terminal.env),
    packages: registryChoice(terminal),
    failed: (cause) => note(`platform: ${messageOf(cause)}`),
  });
  const health = await readHealth(platform.apiUrl);
  return { ...health, credentials: keyOf(platform), own: true, close: () => platform.stop() };
}

const UNSIGNED =
  'The embedded platform is of an older version, or something on the way takes headers off: a step whose answer is lost is not sent again. Restart the platform, or reach it directly.';

/** Starts the platform in this process. @throws PLATFORM_RUNNING, PLATFORM_START */
export async function startEmbedded(options: PlatformOptions): Promise<Platform> {
  const { startPlatform } = await import('../platform/platform.js');
  try {
    return await startPlatform(options);
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'FolderLocked') {
      throw new WindlassError(
        'PLATFORM_RUNNING',
        `The data of the embedded platform are in use: ${thrown.message}.`,
        {
          advice: 'Wait for that command, or let all commands share one: `windlass platform start`.',
          cause: thrown,
        },
      );
    }
    throw new WindlassError('PLATFORM_START', `The embedded platform did not start: ${messageOf(thrown)}.`, {
      cause: thrown,
    });
  }
}

/** Reads the health of a platform. @throws PLATFORM_NOT_RUNNING when nothing of the kind answers there */
export async function readHealth(apiUrl: string): Promise<PlatformHealth> {
  // The client that talks to the service anyway: Node's own `fetch` would be loaded for this one question.
  const { request } = await import('undici');
  const ask = async (method: 'GET' | 'POST'): Promise<{ readonly signs: boolean; readonly text: string }> => {
    const headers = { [SIGN]: randomUUID(), 'cache-control': 'no-cache' };
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
    const answer = await request(`${apiUrl}/health`, { method, headers, signal });
    return { signs: answer.headers[SIGN] === headers[SIGN], text: await answer.body.text() };
  };
  // Nothing is there to be posted to, and that the answer says so shows whether headers of writes get through.
  const posting = ask('POST').catch(() => undefined);
  const asked = await ask('GET').catch((thrown: unknown) => {
    throw notRunning(apiUrl, networkFailure(thrown)?.reason ?? messageOf(thrown));
  });
  const posted = await posting;
  const body = parseStrictJson(Buffer.from(asked.text));
  const known = member(body, 'capabilities');
  const listed = Array.isArray(known) ? (known as readonly Json[]) : [];
  if (!isJsonObject(body) || textMember(body, 'id') === undefined)
    throw notRunning(apiUrl, 'another server answers');
  const bound = body['max_execution_delay_ms'];
  return {
    id: textMember(body, 'id') ?? '',
    apiUrl: textMember(body, 'api_url') ?? apiUrl,
    rpcUrl: textMember(body, 'rpc_url') ?? '',
    consoleUrl: textMember(body, 'console_url') ?? '',
    chainId: Number(body['chain_id']),
    genesis: textMember(body, 'genesis') ?? '',
    capabilities: CAPABILITIES.filter((name) => listed.includes(name)),
    ...(typeof bound === 'number' && { executionBoundMs: bound }),
    signs: asked.signs && posted?.signs === true,
  };
}

function keyOf({ apiKey }: Platform): Credentials {
  if (apiKey === undefined) throw new WindlassError('PLATFORM_START', 'The embedded platform has no key.');
  return { clientId: apiKey.client_id, clientSecret: apiKey.client_secret };
}

function notRunning(apiUrl: string, why: string): WindlassError {
  return new WindlassError('PLATFORM_NOT_RUNNING', `No embedded platform answers at ${apiUrl}: ${why}.`);
}
