import { canonicalJson } from '../model/canonical.js';
import type { Environment } from '../model/environment.js';
import type { FileInput, SourceInput } from '../model/resource.js';
import type { SecretSource } from '../model/value.js';
import type { Needs } from '../execute/needs.js';
import type { Clock, Service } from '../execute/ports.js';
import type { ReadRequest, UnsignedDeployment } from '../kinds/operation.js';
import type { Capability } from '../protocol/endpoint.js';
import type { KeyFacts } from '../protocol/key.js';
import { openAccess, type Access, type Credentials } from './access.js';
import { coalesce } from './coalesce.js';
import { openTransport, type TransportOptions } from './exchange.js';
import { openGetter } from './getter.js';
import type { MarkFiller } from './marks.js';
import { readOwnKey } from './own-key.js';
import { openRateLimiter } from './rate.js';
import { unreadiness } from './preflight.js';
import { answerRead, type ReadParts } from './reads.js';
import { openRecognition } from './recognition.js';
import { DEFAULT_RETRY, type RetryPolicy } from './retry.js';
import { openRpc, type Rpc } from './rpc.js';
import { signed } from './signed.js';
import type { RequestTracer } from './tracing.js';
import { sendWrite, type WriterParts } from './writer.js';

/** What a service is opened with. */
export interface ServiceOptions extends TransportOptions {
  /** Base address; may have a path; no query. */
  readonly baseUrl: string;
  /** Asked once, when the first request needs them. @throws SECRET_MISSING */
  readonly credentials: () => Promise<Credentials>;
  readonly clock: Clock;
  readonly rateLimit?: Environment['rateLimit'];
  /** The bytes of an input, checked against its digest. @throws FILE_CHANGED */
  readonly files: (input: FileInput | SourceInput) => Promise<Uint8Array>;
  /** @throws SECRET_MISSING */
  readonly secrets: (source: SecretSource) => Promise<string>;
  /** A node of the chain: receipts and code are read there. */
  readonly rpcUrl?: string;
  readonly capabilities: ReadonlySet<Capability>;
  /** The service begins no write later than this after it was sent, when it is told so; absent: it cannot be told. */
  readonly executionBoundMs?: number;
  /** Its answers bear the signs of their requests: nothing else counts as its answer. Without, a run's pace is `unsigned`. */
  readonly signs?: boolean;
  /** It is known to be the service already, so that nothing has to be asked to tell. */
  readonly recognised?: boolean;
  /** Patience of reads. */
  readonly retry?: RetryPolicy;
}

/** Longest answer by which a service is recognised. */
const MAX_PROBE_BYTES = 16_000_000;

/** A service that holds connections. */
export interface OpenService extends Service {
  /** Asks whether the service is there, where no answer has shown it yet. @throws REMOTE_NOT_SERVICE, REMOTE_UNREACHABLE */
  recognise(): Promise<void>;
  /** What the service tells the key in use about itself: organisation, scopes, end. Undefined: it tells nothing. */
  ownKey(): Promise<KeyFacts | undefined>;
  /** Why steps would fail that nobody has sent yet, one sentence each; empty when nothing speaks against them. */
  unreadiness(needs: Needs): Promise<readonly string[]>;
  /** Waits for requests under way and gives up waiting reads; nothing may be asked afterwards. */
  close(): Promise<void>;
}

/**
 * The service over HTTP.
 *
 * Reads may throw REMOTE_UNREACHABLE and REMOTE_RATE_LIMITED (after their retries), REMOTE_AUTHENTICATION and
 * SECRET_MISSING; all else that cannot be read is `unreadable`. Writes never throw. Credentials, secrets, personal
 * values and callback tokens appear in no message.
 */
export function openService(options: ServiceOptions): OpenService {
  const { clock, capabilities } = options;
  const base = new URL(options.baseUrl);
  const retry = options.retry ?? DEFAULT_RETRY;
  const unsigned = openTransport(base.origin, options);
  const transport = options.signs === true ? signed(unsigned) : unsigned;
  const limiter = openRateLimiter(options.rateLimit, clock);
  const access = openAccess(options.credentials);
  const ending = new AbortController();
  const nowMs = (): number => clock.nowMs();
  const rpc =
    options.rpcUrl === undefined ? undefined : openNode(options.rpcUrl, base, { ...options, retry, access });

  const asked = options.recognised
    ? { who: 'The embedded platform', origin: base.origin }
    : { who: 'The service', origin: base.origin, setting: 'base_url' };
  const get = openGetter({ access, asked, limiter, transport, nowMs, signal: ending.signal, retry });
  const recognition = options.recognised
    ? undefined
    : openRecognition(base, (path) => get(path, { maxBytes: MAX_PROBE_BYTES, settled: false }));
  const reads = (settled: boolean): ReadParts => ({
    base,
    rpc,
    lists: new Map(),
    capabilities,
    get: async (path, maxBytes) => {
      const response = await get(path, { maxBytes, settled });
      await recognition?.admit(response);
      return response;
    },
    secrets: access.secrets,
  });
  const reader = (parts: ReadParts): Service['read'] =>
    coalesce(canonicalJson, (request: ReadRequest) => answerRead(parts, request));
  const read = reader(reads(false));
  const readSettled = options.executionBoundMs === undefined ? read : reader(reads(true));
  const writes: WriterParts = {
    ...access,
    transport,
    limiter,
    capabilities,
    basePath: base.pathname.replace(/\/+$/, ''),
    fillers: fillersOf(options),
    files: options.files,
    nowMs,
    executionBoundMs: options.executionBoundMs,
  };
  return {
    unreadiness: (needs) => unreadiness(needs, { secrets: options.secrets, files: options.files, read, rpc }),
    read: (request, settled) => (settled === true ? readSettled(request) : read(request)),
    write: (request, callbackUrl, step, signal) => sendWrite(writes, request, { callbackUrl, step, signal }),
    recognise: async () => recognition?.ask(),
    ownKey: () => readOwnKey((path, maxBytes) => get(path, { maxBytes, settled: false }), writes.basePath),
    close: async () => {
      ending.abort();
      await Promise.all([transport.close(), rpc?.close()]);
    },
  };
}

interface NodeParts {
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly access: Access;
  readonly permissions?: TransportOptions['permissions'];
  readonly trace?: RequestTracer;
  readonly signs?: boolean;
}

/** A node; when the service itself runs it, it is asked with the service's key, and signs as the service does. */
function openNode(
  url: string,
  base: URL,
  { access, permissions, trace, clock, retry, signs }: NodeParts,
): Rpc {
  const own = new URL(url).origin === base.origin;
  return openRpc({
    url,
    clock,
    retry,
    ...(permissions && { permissions }),
    ...(trace && { trace }),
    ...(own && { headers: access.headers, signs: signs === true }),
  });
}

function fillersOf({ secrets, files }: ServiceOptions): Readonly<Record<string, MarkFiller>> {
  return {
    $secret: { hidden: true, fill: (source) => secrets(source as SecretSource) },
    $personal: { hidden: true, fill: String },
    $text: {
      hidden: false,
      fill: async (input) => new TextDecoder().decode(await files(input as FileInput)).trim(),
    },
    $signed: {
      hidden: false,
      fill: async (unsigned) => {
        const { signDeployment } = await import('./signing.js');
        return signDeployment(unsigned as unknown as UnsignedDeployment, secrets);
      },
    },
  };
}
