import { WindlassError } from '../model/error.js';

const TIMEOUT_MS = 15_000;

/** Something answers at the address of a service. No credentials are sent. */
export async function checkService(baseUrl: string): Promise<string> {
  const response = await fetch(baseUrl, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new WindlassError('REMOTE_UNREACHABLE', `Nothing answers at ${new URL(baseUrl).origin}.`);
  });
  return `${new URL(baseUrl).origin} answers (${response.status})`;
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
