import { findPlatform } from '../disk/platform-registration.js';
import { messageOf, WindlassError } from '../model/error.js';
import { textMember, type Json, type JsonObject } from '../model/json.js';
import { networkFailure } from '../model/network-failure.js';
import { AUTH_HEADERS } from '../protocol/endpoint.js';
import { failureText, unwrap } from '../protocol/envelope.js';

/** A running embedded platform, called with its development key. */
export interface PlatformClient {
  readonly apiUrl: string;
  readonly pid: number;
  /** Calls an address of the platform and waits `timeoutMs`, 30 s by default. @throws PLATFORM_NOT_RUNNING, REMOTE_REFUSED */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject, timeoutMs?: number): Promise<Json>;
}

const TIMEOUT_MS = 30_000;

/** The platform that runs in a folder. @throws PLATFORM_NOT_RUNNING */
export async function connectPlatform(root: string): Promise<PlatformClient> {
  const found = await findPlatform(root);
  if (found === undefined || found.state === 'stale') {
    throw new WindlassError('PLATFORM_NOT_RUNNING', 'No embedded platform runs in this folder.');
  }
  const { api_url, client_id, client_secret, pid } = found.registration;
  const headers = {
    accept: 'application/json',
    [AUTH_HEADERS.id]: client_id,
    [AUTH_HEADERS.secret]: client_secret,
  };
  return {
    apiUrl: api_url,
    pid,
    call: async (method, path, body, timeoutMs = TIMEOUT_MS) => {
      const json = {
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
      const init = { method, headers, ...(body !== undefined && json) };
      const response = await fetch(`${api_url}${path}`, {
        ...init,
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((thrown: unknown) => {
        throw new WindlassError(
          'PLATFORM_NOT_RUNNING',
          `The platform at ${api_url} does not answer: ${networkFailure(thrown)?.reason ?? messageOf(thrown)}.`,
        );
      });
      return resultOf(response.ok, (await response.json().catch(() => null)) as Json);
    },
  };
}

function resultOf(ok: boolean, body: Json): Json {
  const unwrapped = unwrap(body);
  if (ok && unwrapped.type === 'result') return unwrapped.result;
  const why = textMember(body, 'message') ?? failureText(body);
  throw new WindlassError('REMOTE_REFUSED', `The platform refused: ${why}`);
}
