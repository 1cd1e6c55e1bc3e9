/** Why nothing answers at an address, in words for people. */
export interface NetworkFailure {
  /** Half a sentence, e.g. `nothing listens there`. */
  readonly reason: string;
  /** What mends it, where that is not the address itself: a sentence. */
  readonly fix?: string;
  /** The same at the next try: names and certificates do not change while a command waits. */
  readonly lasting: boolean;
}

const AUTHORITY =
  'Let this machine trust the authority that signed it: NODE_EXTRA_CA_CERTS names a file with its certificate.';
const SCHEME = 'Check whether the address begins with http:// or https://.';

const NAME = { reason: 'its name is not known here (DNS)', lasting: true };
const RESOLVER = { reason: 'names cannot be looked up (DNS): there may be no network', lasting: false };
const REFUSED = { reason: 'nothing listens there (connection refused)', lasting: false };
const CUT = { reason: 'the connection was broken off', lasting: false };
const LATE = { reason: 'no connection comes about in time', lasting: false };
const SILENT = { reason: 'no answer comes in time', lasting: false };
const ROUTE = { reason: 'there is no way to it from this network', lasting: false };
const UNTRUSTED = {
  reason: 'its TLS certificate is of no authority that this machine trusts',
  fix: AUTHORITY,
  lasting: true,
};
const NO_TLS = { reason: 'it does not speak TLS as it should', fix: SCHEME, lasting: true };
const NO_HTTP = { reason: 'what answers there does not speak HTTP', fix: SCHEME, lasting: true };

const BY_CODE: Readonly<Record<string, NetworkFailure>> = {
  ENOTFOUND: NAME,
  EAI_AGAIN: RESOLVER,
  EAI_FAIL: RESOLVER,
  ECONNREFUSED: REFUSED,
  ECONNRESET: CUT,
  ECONNABORTED: CUT,
  EPIPE: CUT,
  UND_ERR_SOCKET: CUT,
  ETIMEDOUT: LATE,
  UND_ERR_CONNECT_TIMEOUT: LATE,
  UND_ERR_HEADERS_TIMEOUT: SILENT,
  UND_ERR_BODY_TIMEOUT: SILENT,
  EHOSTUNREACH: ROUTE,
  ENETUNREACH: ROUTE,
  EADDRNOTAVAIL: ROUTE,
  CERT_HAS_EXPIRED: { reason: 'its TLS certificate has expired', lasting: true },
  CERT_NOT_YET_VALID: {
    reason: 'its TLS certificate is not valid yet',
    fix: 'Check the clock of this machine.',
    lasting: true,
  },
  ERR_TLS_CERT_ALTNAME_INVALID: { reason: 'its TLS certificate is for another name', lasting: true },
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  EPROTO: NO_TLS,
};

/**
 * What a failed connection means; undefined for what is no failure of a connection. Reads the codes of Node and undici,
 * in the cause and in what caused that, so that no system call is told to people.
 */
export function networkFailure(cause: unknown): NetworkFailure | undefined {
  const code = codeOf(cause, 0);
  if (code === undefined) return undefined;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return BY_CODE[code] ?? NO_TLS;
  return code.startsWith('HPE_') ? NO_HTTP : BY_CODE[code];
}

/** Causes that stand behind one another at most. */
const DEEPEST = 5;

function codeOf(cause: unknown, depth: number): string | undefined {
  if (!(cause instanceof Error) || depth > DEEPEST) return undefined;
  const { code } = cause as { readonly code?: unknown };
  if (cause.name === 'HTTPParserError') return 'HPE_INVALID';
  const inner = cause instanceof AggregateError ? (cause.errors as readonly unknown[])[0] : cause.cause;
  const known = typeof code === 'string' && (code in BY_CODE || /^(ERR_SSL_|ERR_TLS_|HPE_)/.test(code));
  if (known) return code;
  return codeOf(inner, depth + 1);
}
