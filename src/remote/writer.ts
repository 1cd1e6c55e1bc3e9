import { withMembers } from '../model/json.js';
import { messageOf, WindlassError } from '../model/error.js';
import type { StepId } from '../model/id.js';
import type { WriteAnswer } from '../execute/ports.js';
import type { FilePart, WriteRequest } from '../kinds/operation.js';
import { EXECUTE_BEFORE } from '../protocol/deadline.js';
import { endpointOf, fillPath, type Capability } from '../protocol/endpoint.js';
import { classifyWrite } from './classify.js';
import type { Exchange, HttpRequest, Transport } from './exchange.js';
import { encodeForm, type FormFile } from './form.js';
import { fillMarks, type MarkFiller } from './marks.js';
import type { RateLimiter } from './rate.js';
import { cleanMessage } from './redact.js';

/** Longest answer to a write. */
const MAX_ANSWER_BYTES = 8_000_000;

/** What a writer needs: connections, credentials, and the fillers of the marks in bodies. */
export interface WriterParts {
  readonly transport: Transport;
  readonly limiter: RateLimiter;
  readonly capabilities: ReadonlySet<Capability>;
  /** Path of the base URL, without trailing slash. */
  readonly basePath: string;
  readonly fillers: Readonly<Record<string, MarkFiller>>;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Texts that no message may show. */
  readonly secrets: () => readonly string[];
  readonly files: (input: FilePart['file']) => Promise<Uint8Array>;
  readonly nowMs: () => number;
  /** How late the service may begin a write, in milliseconds from its sending; it is told with each. */
  readonly executionBoundMs: number | undefined;
}

/** A request ready to be sent, and what it holds that must not be shown. */
interface ReadyRequest {
  readonly request: HttpRequest;
  readonly hidden: readonly string[];
}

/** What a write is sent for. */
interface About {
  readonly callbackUrl: string | undefined;
  readonly step?: StepId | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a write once and classes what came of it; never rejects. What fails on this side (a changed file, a missing
 * secret) is `not_sent` with the reason, because that is what it proves.
 */
export async function sendWrite(
  parts: WriterParts,
  request: WriteRequest,
  { callbackUrl, step, signal }: About,
): Promise<WriteAnswer> {
  let ready: ReadyRequest;
  try {
    ready = await prepare(parts, request, { callbackUrl, step });
  } catch (error) {
    const reason = error instanceof WindlassError ? `${error.message} ${error.advice}` : messageOf(error);
    return {
      outcome: 'not_sent',
      message: cleanMessage(reason, [...parts.secrets(), ...tokenIn(callbackUrl)]),
    };
  }
  const sent = await sendInTurn(parts, ready.request, signal);
  const answer = classifyWrite(sent, parts.nowMs());
  if (answer.retryAfterMs !== undefined) parts.limiter.pause(answer.retryAfterMs);
  if (answer.message === undefined) return answer;
  const masked = [...parts.secrets(), ...tokenIn(callbackUrl), ...ready.hidden];
  return { ...answer, message: cleanMessage(answer.message, masked) };
}

function tokenIn(callbackUrl: string | undefined): readonly string[] {
  return callbackUrl?.split('/').slice(-1) ?? [];
}

async function sendInTurn(
  parts: WriterParts,
  request: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<Exchange> {
  const { limiter, transport, nowMs, executionBoundMs } = parts;
  let release: () => void;
  try {
    release = await limiter.acquire('write', signal);
  } catch (error) {
    return { type: 'broken', sent: false, tooLong: false, message: messageOf(error) };
  }
  try {
    if (executionBoundMs === undefined) return await transport.exchange(request, true);
    const deadline = { [EXECUTE_BEFORE]: String(nowMs() + executionBoundMs) };
    return await transport.exchange({ ...request, headers: withMembers(request.headers, deadline) }, true);
  } finally {
    release();
  }
}

async function prepare(
  parts: WriterParts,
  request: WriteRequest,
  { callbackUrl, step }: Pick<About, 'callbackUrl' | 'step'>,
): Promise<ReadyRequest> {
  const endpoint = endpointOf(request.endpoint);
  if (endpoint.capability !== undefined && !parts.capabilities.has(endpoint.capability)) {
    throw new WindlassError(
      'REMOTE_REFUSED',
      `This environment lacks the capability ${endpoint.capability}.`,
    );
  }
  const filled = await fillMarks(request.body, parts.fillers);
  const body =
    request.takesCallback && callbackUrl !== undefined
      ? withMembers(filled.body, { callback_url: callbackUrl })
      : filled.body;
  const files = request.files && (await Promise.all(request.files.map((part) => loadPart(parts, part))));
  const encoded =
    endpoint.body === 'multipart'
      ? await encodeForm(body, files ?? [])
      : {
          payload: { bytes: Buffer.from(JSON.stringify(body)) },
          headers: { 'content-type': 'application/json' },
        };
  return {
    hidden: filled.hidden,
    request: {
      method: endpoint.method,
      path: `${parts.basePath}${fillPath(endpoint.path, request.params)}`,
      headers: withMembers(await parts.headers(), encoded.headers),
      payload: encoded.payload,
      maxBytes: MAX_ANSWER_BYTES,
      step,
    },
  };
}

async function loadPart(parts: WriterParts, { field, filename, file }: FilePart): Promise<FormFile> {
  return { field, filename, bytes: await parts.files(file) };
}
