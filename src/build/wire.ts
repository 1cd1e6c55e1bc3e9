import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { FetchFailure } from './fetch-error.js';
import { webAddress, type RegistryOptions } from './registry-options.js';

/** What went wrong on the way to the registry, in words without addresses. */
export class WireError extends Error {
  readonly kind: FetchFailure;

  constructor(kind: FetchFailure, message: string) {
    super(message);
    this.name = 'WireError';
    this.kind = kind;
  }
}

/** Times in milliseconds. */
export interface WireTimes {
  /** Until the registry begins to answer, all tries counted; 12,000 by default. */
  readonly reachMs?: number;
  /** Until its answer is complete; 60,000 by default. */
  readonly answerMs?: number;
}

/** How something is asked for. */
interface Asked {
  /** Most bytes of the answer, as it travels and decoded. */
  readonly most: number;
  readonly accept: string;
  readonly signal: AbortSignal;
}

/** Requests to the registry's origin and to those that the operator names, and to no other. */
export interface Wire {
  /** Whether requests may go there. */
  reaches(url: URL): boolean;
  /** @returns undefined when there is no such thing @throws WireError; the signal's reason */
  get(url: URL, asked: Asked): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

const REACH_MS = 12_000;
const ANSWER_MS = 60_000;

/** Tries of one request, where the registry does not answer or says that it cannot for now. */
const TRIES = 2;
const PAUSE_MS = 400;

/** Places that the registry may send a request on to. */
const MOST_REDIRECTS = 3;

/**
 * Opens the way to a registry. The client is undici, which reads no environment and no configuration, follows nothing by
 * itself and decodes nothing by itself.
 *
 * @throws RegistryOptionError
 */
export function openWire(base: URL, options: RegistryOptions, times: WireTimes): Wire {
  const origins = new Set([
    base.origin,
    ...(options.tarballOrigins ?? []).map((text) => webAddress(text, 'An origin of tarballs').origin),
  ]);
  const { reachMs = REACH_MS, answerMs = ANSWER_MS } = times;
  const dispatcher = lazily(() => dispatcherFor(options, reachMs));
  const headersFor = (url: URL, accept: string): Record<string, string> => ({
    accept,
    'accept-encoding': 'gzip, identity',
    'user-agent': 'windlass',
    ...(options.token !== undefined &&
      url.origin === base.origin && { authorization: `Bearer ${options.token}` }),
  });
  const ask = async (url: URL, asked: Asked, hops: number): Promise<Buffer | undefined> => {
    if (!origins.has(url.origin))
      throw new WireError('refused', 'the registry sends its reader to another place');
    const { request } = await import('undici');
    const answer = await request(url, {
      dispatcher: await dispatcher(),
      headers: headersFor(url, asked.accept),
      headersTimeout: reachMs,
      bodyTimeout: reachMs,
      signal: asked.signal,
    });
    const { statusCode: status, headers, body } = answer;
    if (status >= 300 && status < 400) {
      await body.dump();
      const to = String(headers['location'] ?? '');
      if (hops >= MOST_REDIRECTS || !URL.canParse(to, url.href))
        throw new WireError('broken', 'the registry sends its reader round in circles');
      return ask(new URL(to, url), asked, hops + 1);
    }
    if (status === 200) return readBody(body, String(headers['content-encoding'] ?? ''), asked.most);
    await body.dump();
    if (status === 404) return undefined;
    if (status === 401 || status === 403)
      throw new WireError('refused', `the registry does not give it to us (status ${String(status)})`);
    throw new WireError('unreachable', `the registry answers with status ${String(status)}`);
  };
  return {
    reaches: (url) => origins.has(url.origin) && url.username === '' && url.password === '',
    get: (url, asked) => inTime(url, asked, { ask, reachMs, answerMs }),
    close: async () => dispatcher.close(),
  };
}

/** Asks until there is an answer, twice at most and never beyond the time for it. */
async function inTime(
  url: URL,
  asked: Asked,
  by: {
    readonly ask: (url: URL, asked: Asked, hops: number) => Promise<Buffer | undefined>;
    readonly reachMs: number;
    readonly answerMs: number;
  },
): Promise<Buffer | undefined> {
  const began = performance.now();
  const late = AbortSignal.timeout(by.answerMs);
  const signal = AbortSignal.any([asked.signal, late]);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await by.ask(url, { ...asked, signal }, 0);
    } catch (cause) {
      if (asked.signal.aborted) throw cause;
      const final = cause instanceof WireError && cause.kind !== 'unreachable';
      const spent = performance.now() - began;
      if (final || late.aborted || attempt >= TRIES || spent + PAUSE_MS >= by.reachMs) throw told(cause);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** What a failed request means, in words that name no address. */
function told(cause: unknown): WireError {
  if (cause instanceof WireError) return cause;
  const code = codeOf(cause);
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens at the registry’s address',
    ENOTFOUND: 'the registry’s name is not known here',
    EAI_AGAIN: 'names cannot be looked up: there is no network',
    ECONNRESET: 'the registry broke the connection off',
    UND_ERR_SOCKET: 'the registry broke the connection off',
    CERT_HAS_EXPIRED: 'the registry’s certificate has expired',
    SELF_SIGNED_CERT_IN_CHAIN: 'the registry’s certificate is not trusted here',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'the registry’s certificate is not trusted here',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the registry’s certificate is not trusted here',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the registry’s certificate is not trusted here',
  };
  return new WireError('unreachable', words[code] ?? 'the registry does not answer in time');
}

function codeOf(cause: unknown): string {
  for (let at = cause; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string' && code !== 'ABORT_ERR') return code;
    const [first] = at instanceof AggregateError ? (at.errors as readonly unknown[]) : [];
    if (first instanceof Error) return codeOf(first);
  }
  return '';
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  coding: string,
  most: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (coding === '' || coding === 'identity') return bytes;
  if (coding !== 'gzip')
    throw new WireError('broken', 'the registry answers in a coding that was not asked for');
  return promisify(gunzip)(bytes, { maxOutputLength: most }).catch((cause: unknown) => {
    throw codeOf(cause) === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(most)
      : new WireError('broken', 'the registry’s answer is damaged');
  });
}

function tooLarge(most: number): WireError {
  return new WireError('broken', `the registry’s answer is larger than ${String(most / 1024 / 1024)} MiB`);
}

async function dispatcherFor({ proxy }: RegistryOptions, reachMs: number): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import('undici');
  // Two tries have to fit.
  const connect = { timeout: Math.floor(reachMs / TRIES), rejectUnauthorized: true };
  const common = { connections: 4, maxResponseSize: -1, connect };
  if (proxy === undefined) return new Agent(common);
  return new ProxyAgent({ ...common, uri: webAddress(proxy, 'The proxy of the registry').href });
}

/** Made when it is first used, closed if it was. */
function lazily<T extends { destroy(): Promise<void> }>(
  make: () => Promise<T>,
): (() => Promise<T>) & { close(): Promise<void> } {
  let made: Promise<T> | undefined;
  const get = (): Promise<T> => (made ??= make());
  return Object.assign(get, { close: async () => (await made)?.destroy() });
}
