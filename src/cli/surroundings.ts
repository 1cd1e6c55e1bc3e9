import type { Permissions } from '../model/permissions.js';
import { endpointOf } from '../protocol/endpoint.js';
import { openTransport } from '../remote/exchange.js';
import { describe, isAnybodys, notTheService } from '../remote/recognition.js';
import { unreachable } from '../remote/retry.js';

const TIMEOUT_MS = 15_000;

/** Longest answer that is read. */
const MAX_BYTES = 1_000_000;

/**
 * The service answers at its address: with its list, or by asking for credentials. None are sent.
 *
 * @throws REMOTE_UNREACHABLE, REMOTE_NOT_SERVICE
 */
export async function checkService(
  baseUrl: string,
  permissions: Pick<Permissions, 'httpHosts'>,
): Promise<string> {
  const base = new URL(baseUrl);
  const { path } = endpointOf('audit.transactions');
  const transport = openTransport(base.origin, { timeoutMs: TIMEOUT_MS, permissions });
  try {
    const asked = `${base.pathname.replace(/\/+$/, '')}${path}`;
    const request = { method: 'GET', path: asked, headers: {}, maxBytes: MAX_BYTES } as const;
    const answer = await transport.exchange(request, false);
    if (answer.type === 'broken') {
      const who = { who: 'The service', origin: base.origin, setting: 'base_url' };
      throw unreachable(who, answer.message, answer.fix);
    }
    if (isAnybodys(answer)) throw notTheService(base, `GET ${path} with ${describe(answer)}`);
    return `${base.origin} answers as the service does (${answer.status})`;
  } finally {
    await transport.close();
  }
}

/** Largest difference between the clocks that changes nothing. */
const MAX_SKEW_MS = 60_000;

/** The clock of this machine agrees with that of a service, as its answers tell it. @throws when it does not */
export async function checkClock(baseUrl: string): Promise<string> {
  const begunMs = Date.now();
  const response = await fetch(baseUrl, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  const endedMs = Date.now();
  const dateMs = Date.parse(response?.headers.get('date') ?? '');
  if (Number.isNaN(dateMs)) return 'the service does not tell its time';
  // The header counts whole seconds.
  const early = begunMs - (dateMs + 999);
  const late = dateMs - endedMs;
  const skewMs = Math.max(0, early, late);
  const words = `${Math.ceil(skewMs / 1000)} s ${early > late ? 'ahead of' : 'behind'} the service`;
  if (skewMs <= MAX_SKEW_MS) return skewMs === 0 ? 'agrees with the service' : words;
  throw new Error(`This clock is ${words}. Correct it: times in the journal are this machine's.`);
}
