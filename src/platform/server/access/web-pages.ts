import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../../delivery/target.js';
import { ServiceError } from '../../handlers/handler.js';

/** Which web pages may ask a platform. */
export interface PageRules {
  /** True: requests must name a loopback host, so that no page reaches the platform under another name (DNS rebinding). */
  readonly loopbackOnly: boolean;
  /** Origins whose pages may ask below {@link OPEN}, as `originOf` spells them. */
  readonly allowed: ReadonlySet<string>;
  /** Base of the platform's own addresses. */
  readonly url: () => string;
}

/** What pages of an allowed origin may ask; everything else is for the platform's own pages. */
const OPEN = '/rpc';

/** Headers that such a page may send. */
const ALLOWED_HEADERS = 'content-type, client_id, client_secret';

/** Seconds for which browsers keep the answer to the question that they ask first. */
const KEPT_SECONDS = '600';

/**
 * An origin as browsers spell it, or undefined when a text is none: scheme, host and port, nothing behind. `null`, which
 * every sandboxed page and file is, and `*` name nobody in particular, so they are none.
 */
export function originOf(text: string): string | undefined {
  // Wallets that are extensions have a scheme of their own, which URL gives no origin.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*\\]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, protocol, host } = new URL(text);
  return origin === 'null' ? `${protocol}//${host}`.toLowerCase() : origin;
}

/** The origins that an operator names. @throws RangeError on what is none */
export function originsOf(texts: readonly string[] = []): ReadonlySet<string> {
  return new Set(
    texts.map((text) => {
      const origin = originOf(text);
      if (origin === undefined) throw new RangeError(`${text} is no origin such as http://localhost:3000`);
      return origin;
    }),
  );
}

/**
 * Refuses what the pages of others make a browser send, on every route alike and before anything else looks at it. A
 * browser names the page's origin with everything that may change something or whose answer a script may read, and the
 * host that it thinks it talks to with everything; both are out of a script's reach. What names no origin is a program,
 * or a browser that follows a link.
 */
export function refuseForeignPages(server: FastifyInstance, rules: PageRules): void {
  server.addHook('onRequest', async (request, reply) => {
    // Not what a proxy says beside it: a page that rebinds its name may say that, too.
    const host = request.headers.host ?? '';
    if (rules.loopbackOnly && !isLoopback(nameOf(host)))
      throw new ServiceError(403, 'This platform answers on loopback names only.');
    const isOpen = request.url.split('?')[0]?.replace(/\/$/, '') === OPEN;
    if (isOpen) void reply.header('vary', 'Origin');
    if (isOwn(request, host, rules)) return;
    const origin = originOf(request.headers.origin ?? '');
    if (!isOpen || origin === undefined || !rules.allowed.has(origin)) throw foreign(isOpen);
    return admitPage(request, reply, request.headers.origin ?? '');
  });
}

/** Whether a program sent a request, or a page of the platform's own. */
function isOwn({ headers, method }: FastifyRequest, host: string, { url }: PageRules): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site === 'same-origin') return true;
  if (origin === undefined)
    return site === undefined || site === 'none' || method === 'GET' || method === 'HEAD';
  if (!URL.canParse(origin)) return false;
  const own = URL.canParse(url()) ? [new URL(url()).host] : [];
  // A proxy that ends TLS leaves the name and changes the scheme.
  return [...own, hostOf(host)].includes(new URL(origin).host) && /^https?:/i.test(origin);
}

/** Answers the question that a browser asks before the request of a page; the request itself goes on. */
function admitPage(request: FastifyRequest, reply: FastifyReply, origin: string): FastifyReply | undefined {
  void reply.header('access-control-allow-origin', origin);
  if (request.method !== 'OPTIONS') return undefined;
  void reply
    .header('access-control-allow-methods', 'POST')
    .header('access-control-allow-headers', ALLOWED_HEADERS)
    .header('access-control-max-age', KEPT_SECONDS);
  // Some browsers ask whether a page of the internet may come to this machine at all.
  if (request.headers['access-control-request-private-network'] === 'true')
    void reply.header('access-control-allow-private-network', 'true');
  return reply.status(204).send();
}

function foreign(isOpen: boolean): ServiceError {
  const way = isOpen ? ' Its operator names the origins that may, with --allow-origin.' : '';
  return new ServiceError(403, `Pages of that origin may not ask this platform.${way}`);
}

/** The host of a `Host` header without its port. */
function nameOf(host: string): string {
  return urlOf(host)?.hostname ?? '';
}

/** A `Host` header as URLs have it: in lower case, without the port that needs no saying. */
function hostOf(host: string): string {
  return urlOf(host)?.host ?? '';
}

function urlOf(host: string): URL | undefined {
  const url = `http://${host}`;
  return /^[^/?#@\s\\]+$/.test(host) && URL.canParse(url) ? new URL(url) : undefined;
}
