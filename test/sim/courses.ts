import type { WriteRequest } from '../../src/kinds/operation.js';
import type { Exchange, HttpResponse } from '../../src/remote/exchange.js';
import type { Fault } from './decisions.js';
import { jsonResponse } from './pages.js';
import type { World } from './world.js';

const TIMEOUT_MS = 30_000;
const RESET: Exchange = { type: 'broken', sent: true, message: 'connection reset', tooLong: false };

/** What a write's fault means: whether the service executes it, and what comes back. */
export interface Course {
  readonly executes: 'no' | 'now' | 'late' | 'overdue';
  /** @param stray an answer to another request */
  readonly answer: (result: HttpResponse, stray: HttpResponse) => Exchange;
  readonly afterMs?: number;
}

/** What something on the way answers in the service's place; it bears no sign of ours. */
export const FOREIGN: ReadonlySet<Fault<'write'>> = new Set([
  'astray',
  'astray-instead',
  'astray-late',
  'gateway-refused',
  'gateway-limited',
]);

const keep = (response: HttpResponse): Exchange => response;
const reset = (): Exchange => RESET;

function status(code: number, headers: HttpResponse['headers'] = {}): () => HttpResponse {
  return () => jsonResponse(code, { message: `HTTP ${code}` }, headers);
}

export function html(code: number): () => HttpResponse {
  return () => ({
    type: 'response',
    status: code,
    headers: {},
    body: Buffer.from('<html>Bad gateway</html>'),
  });
}

export const COURSES: { readonly [F in Fault<'write'>]: Course } = {
  none: { executes: 'now', answer: keep },
  refused: {
    executes: 'no',
    answer: () => ({ ...RESET, sent: false, message: 'connection refused' }),
  },
  lost: { executes: 'no', answer: reset, afterMs: TIMEOUT_MS },
  unanswered: { executes: 'now', answer: reset },
  late: { executes: 'late', answer: reset },
  overdue: { executes: 'overdue', answer: reset },
  'error-before': { executes: 'no', answer: status(503) },
  'error-after': { executes: 'now', answer: html(502) },
  limited: { executes: 'no', answer: status(429, { 'retry-after': '2' }) },
  redirected: { executes: 'no', answer: status(307, { location: 'https://elsewhere.example' }) },
  'redirected-after': { executes: 'now', answer: status(302, { location: '/login' }) },
  cut: {
    executes: 'now',
    answer: (response) => ({ ...response, body: response.body.subarray(0, response.body.length / 2) }),
  },
  rejected: { executes: 'no', answer: status(422) },
  unnamed: {
    executes: 'now',
    answer: () => jsonResponse(200, { status: 200, message: 'Success', result: null }),
  },
  reverted: { executes: 'now', answer: keep },
  'conflict-after': { executes: 'now', answer: status(409) },
  'failure-in-200': { executes: 'now', answer: () => jsonResponse(200, { status: 500, message: 'oops' }) },
  'slow-answer': { executes: 'now', answer: keep, afterMs: 20_000 },
  kill: { executes: 'no', answer: reset },
  'kill-after': { executes: 'now', answer: keep },
  'power-after': { executes: 'now', answer: keep },
  'platform-restart': { executes: 'now', answer: reset },
  repeated: { executes: 'now', answer: keep },
  'repeated-answered-last': { executes: 'now', answer: keep },
  'repeated-limited': { executes: 'now', answer: status(429, { 'retry-after': '2' }) },
  'repeated-refused': { executes: 'now', answer: status(422) },
  astray: { executes: 'now', answer: (_, stray) => stray },
  'astray-instead': { executes: 'no', answer: (_, stray) => stray },
  'astray-late': { executes: 'late', answer: (_, stray) => stray },
  'gateway-refused': { executes: 'late', answer: status(403) },
  'gateway-limited': { executes: 'late', answer: status(429, { 'retry-after': '1' }) },
  'gateway-keeps': { executes: 'overdue', answer: status(413) },
};

const ALL = Object.keys(COURSES) as Fault<'write'>[];

const NAMES = ['slow', 'chain', 'stray', 'signs', 'stripped'] as const;

/** The faults of writes that make no sense everywhere, and what they need. */
const NEEDS: { readonly [F in Fault<'write'>]?: (typeof NAMES)[number] } = {
  overdue: 'slow',
  reverted: 'chain',
  astray: 'stray',
  'astray-instead': 'stray',
  'astray-late': 'stray',
  'gateway-refused': 'signs',
  'gateway-limited': 'signs',
  'gateway-keeps': 'stripped',
};

/** By which of the needs are met. */
const ALLOWED = new Map(
  Array.from({ length: 2 ** NAMES.length }, (_, met) => [
    met,
    ALL.filter((fault) => {
      const need = NEEDS[fault];
      return need === undefined || (met & (1 << NAMES.indexOf(need))) !== 0;
    }),
  ]),
);

/**
 * The faults that a write may meet. A service that publishes a bound keeps it where it hears of it; what nothing on a chain decides is not reverted;
 * an answer goes astray only when there is one. A gateway's own refusal of what it lets through after all proves nothing only
 * where answers bear signs.
 */
export function allowedFor(
  { signs, isUnsigned }: Pick<World, 'signs' | 'isUnsigned'>,
  { takesCallback, endpoint }: WriteRequest,
  hasStray: boolean,
): readonly Fault<'write'>[] {
  const met = [!signs, takesCallback || endpoint.startsWith('version.'), hasStray, signs, isUnsigned];
  return ALLOWED.get(met.reduce((sum, isMet, index) => sum + (isMet ? 1 << index : 0), 0)) ?? ALL;
}
