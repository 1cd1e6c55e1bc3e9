import { parseBoundedJson } from '../model/bounded-json.js';
import type { Json } from '../model/json.js';
import type { WriteAnswer } from '../execute/ports.js';
import { failureText, faultyFields, unwrap } from '../protocol/envelope.js';
import type { Exchange, HttpResponse } from './exchange.js';

/** Statuses that a service gives before it does anything (reliability §3.3). All others prove nothing. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 411, 413, 414, 415, 422, 429]);

/** Longest wait that a `Retry-After` is believed, one hour. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * What the outcome of one sending proves about the effect (reliability §3.3):
 *
 * | outcome | when |
 * |---|---|
 * | `not_sent` | it broke before the first byte was handed to a socket |
 * | `rejected` | a whole response with a status of the refusals, whose body is not a success envelope |
 * | `accepted` | 2xx and a success envelope |
 * | `ambiguous` | everything else: time-out, reset, cut or unreadable answer, 3xx, 408, 409, 5xx, a failure inside 2xx |
 *
 * `message` is the foreign text, not yet cleaned.
 *
 * @param nowMs for a `Retry-After` that is a date
 */
export function classifyWrite(exchange: Exchange, nowMs: number): WriteAnswer {
  if (exchange.type === 'broken') {
    return { outcome: exchange.sent ? 'ambiguous' : 'not_sent', message: exchange.message };
  }
  const { status } = exchange;
  const body = jsonOf(exchange);
  const unwrapped = unwrap(body);
  const succeeded = unwrapped.type === 'result' && unwrapped.result !== null;
  if (status >= 200 && status < 300 && unwrapped.type === 'result') {
    return { outcome: 'accepted', status, result: unwrapped.result };
  }
  const message = body === undefined ? `HTTP ${status} without a JSON body` : failureText(body);
  if (!REFUSALS.has(status) || succeeded) return { outcome: 'ambiguous', status, message };
  return { outcome: 'rejected', status, message, ...refusalFacts(exchange, body, nowMs) };
}

/** What a refusal says beside its status: which members of the request it is about, how long to wait. */
function refusalFacts(
  response: HttpResponse,
  body: Json | undefined,
  nowMs: number,
): Pick<WriteAnswer, 'fields' | 'retryAfterMs'> {
  const fields = faultyFields(body);
  const retryAfterMs = response.status === 429 ? retryAfterOf(response, nowMs) : undefined;
  return { ...(fields.length > 0 && { fields }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The JSON of a response body, whatever its content type says; undefined when it is not strict UTF-8 JSON. */
export function jsonOf(response: HttpResponse): Json | undefined {
  try {
    return parseBoundedJson(UTF8.decode(response.body));
  } catch {
    return undefined;
  }
}

/** Milliseconds that a `Retry-After` header asks for, as seconds or a date; undefined without a readable one. At most an hour. */
export function retryAfterOf(response: HttpResponse, nowMs: number): number | undefined {
  const header = response.headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}
