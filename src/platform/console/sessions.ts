import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { digestOfBytes } from '../../model/canonical.js';

/** Header that every request of the console's page carries. No other page can send it without being asked first. */
const CONSOLE_HEADER = 'x-windlass-console';

/** How long a link that signs in is good, in milliseconds. */
export const LINK_TIME = 15 * 60_000;

/** How long a session lasts without a request, in milliseconds. */
const IDLE_TIME = 12 * 3_600_000;

/** What sessions depend on. */
export interface SessionParts {
  /** Id of the platform: cookies know no port, so that two platforms on one host need two names. */
  readonly platform: string;
  /** Milliseconds that only grow; not the platform's clock, which people may set. */
  readonly clock: () => number;
  /** Sessions of one organisation, and links of it, at a time. */
  readonly capacity: number;
}

/** The key that a session or a link stands for. */
export interface Holder {
  readonly clientId: string;
  readonly org: string;
}

interface Entry extends Holder {
  until: number;
}

/**
 * Who is signed in to the console, in memory: a restart signs everybody out. A session stands for one API key and
 * counts as long as that key does; the key's secret is not in it. Tokens are kept as digests only. Each organisation has
 * so many at a time; its oldest go first, and nobody else's.
 */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #links = new Map<string, Entry>();
  readonly #sessions = new Map<string, Entry>();
  /** Name of the cookie. */
  readonly cookie: string;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.cookie = `windlass_console_${digestOfBytes(parts.platform).slice(-12)}`;
  }

  /** A code that signs in once, for a key. */
  link(holder: Holder): string {
    return this.#add(this.#links, holder, LINK_TIME);
  }

  /** The key of a code, which is used up by that; undefined when it is unknown, used or too old. */
  redeem(code: string): Holder | undefined {
    const holder = this.#find(this.#links, code);
    this.#links.delete(nameOf(code));
    return holder;
  }

  /** A new session of a key: its token. */
  open(holder: Holder): string {
    return this.#add(this.#sessions, holder, IDLE_TIME);
  }

  /**
   * The client id of the session that a request belongs to. The cookie alone is not enough: browsers send it with
   * requests that other pages of this host make.
   */
  clientOf(request: FastifyRequest): string | undefined {
    const token = this.tokenOf(request);
    const entry = token === undefined ? undefined : this.#find(this.#sessions, token);
    if (entry) entry.until = this.#parts.clock() + IDLE_TIME;
    return entry?.clientId;
  }

  /** The token that the console's page sent with a request. */
  tokenOf(request: FastifyRequest): string | undefined {
    if (!isFromConsole(request)) return undefined;
    const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    return cookies.find(([name]) => name === this.cookie)?.[1];
  }

  /** Ends a session. */
  close(token: string): void {
    this.#sessions.delete(nameOf(token));
  }

  #add(to: Map<string, Entry>, { clientId, org }: Holder, time: number): string {
    const token = randomBytes(32).toString('base64url');
    const now = this.#parts.clock();
    for (const [name, { until }] of to) if (until <= now) to.delete(name);
    const own = [...to].flatMap(([name, entry]) => (entry.org === org ? [name] : []));
    for (const name of own.slice(0, Math.max(0, own.length - this.#parts.capacity + 1))) to.delete(name);
    to.set(nameOf(token), { clientId, org, until: now + time });
    return token;
  }

  #find(among: Map<string, Entry>, token: string): Entry | undefined {
    const entry = among.get(nameOf(token));
    return entry && entry.until > this.#parts.clock() ? entry : undefined;
  }
}

/** Whether the console's own page made a request, as far as the browser tells. */
export function isFromConsole({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return headers[CONSOLE_HEADER] === '1' && (site === undefined || site === 'same-origin');
}

/** Looking up a digest tells nothing of the token by its time. */
function nameOf(token: string): string {
  return digestOfBytes(token);
}
