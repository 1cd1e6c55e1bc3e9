import type { Digest } from '../model/canonical.js';
import type { Environment } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import type { StepId } from '../model/id.js';
import type { Clock, Inbox } from '../execute/ports.js';
import { openHandover } from './handover.js';
import { openListener } from './listener.js';

/** How long a callback waits for the run to be ready for it. */
const HOLD_MS = 3000;

/** Where the listener binds when the environment says nothing. */
const DEFAULT_HOST = '127.0.0.1';

/** The attempts' tokens, kept beside the journal. */
export interface TokenStore {
  /** A token for an attempt, 32 random bytes in base64url, durable before it is given out; `digest` is its SHA-256. */
  issue(step: StepId): Promise<{ readonly token: string; readonly digest: Digest }>;
  /** The attempt that a token was issued for, in this or any earlier run; undefined for anything else. Never throws. */
  lookup(token: string): { readonly step: StepId | undefined } | undefined;
}

/** What an inbox is opened with. */
export interface InboxOptions {
  readonly callbacks: Environment['callbacks'];
  readonly tokens: TokenStore;
  readonly clock: Clock;
  /** The port of the last run: addresses given away then stay good. Ignored where `listen` names one. */
  readonly port?: number;
  /** True for the embedded platform: another port will do when that one is taken, for it is told a new address each time. */
  readonly anyPort: boolean;
  /** Milliseconds that a callback waits for the receiver; 3000. */
  readonly holdMs?: number;
  /** Milliseconds in which a sender must have sent all of a callback; 10,000. */
  readonly requestMs?: number;
}

/** An open inbox. */
export interface OpenInbox extends Inbox {
  /** How the service reaches it, without trailing slash; undefined when callbacks are off. */
  readonly url: string | undefined;
  /** The port in use, to be passed again in the next run; undefined when callbacks are off. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

/**
 * Opens the inbox of a run. A callback is acknowledged only after the receiver has made it durable. With callbacks
 * `off` nothing listens: attempts still get a token, but no address.
 *
 * @throws CALLBACKS_PORT when the address cannot be used
 */
export async function openInbox(options: InboxOptions): Promise<OpenInbox> {
  const { callbacks, tokens, clock } = options;
  const handover = openHandover(clock, options.holdMs ?? HOLD_MS);
  const place = callbacks === 'off' ? undefined : listenPlace(callbacks.listen, options.port);
  const listener =
    place &&
    (await openListener<StepId>(
      { ...options, ...place },
      { find: (token) => tokens.lookup(token)?.step, deliver: handover.deliver },
    ));
  const url =
    callbacks === 'off' || place === undefined || listener === undefined
      ? undefined
      : callbackBase(callbacks, { host: place.host, port: listener.port });
  return {
    url,
    port: listener?.port,
    open: async (step) => {
      const { token, digest } = await tokens.issue(step);
      return { url: url === undefined ? undefined : `${url}/cb/${token}`, token: digest };
    },
    receive: (handler) => handover.receive(handler),
    close: async () => listener?.close(),
  };
}

/** How the service reaches a listener, without trailing slash. */
export function callbackBase(
  callbacks: Exclude<Environment['callbacks'], 'off'>,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  return callbacks.url?.replace(/\/+$/, '') ?? `http://${bracketed(host)}:${port}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Where callbacks arrive: `host:port` taken apart; port 0 means the last one, or any. @throws CALLBACKS_PORT */
export function listenPlace(
  address: string | undefined,
  lastPort: number | undefined,
): { readonly host: string; readonly port: number } {
  if (address === undefined) return { host: DEFAULT_HOST, port: lastPort ?? 0 };
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.slice(colon + 1));
  if (colon < 1 || !(port >= 0 && port <= 65_535)) {
    throw new WindlassError('CALLBACKS_PORT', `${address} is not host:port.`);
  }
  return { host, port: port === 0 ? (lastPort ?? 0) : port };
}
