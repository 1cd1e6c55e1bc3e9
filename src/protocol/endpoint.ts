/**
 * Every call of the service: method, path, body encoding, envelope, paging and the capability that it needs.
 * Client and platform both read this table, so that a path is spelled once.
 *
 * Sources: `interface` is the service interface (the core profile); `docs` is the public documentation,
 * behind a capability name.
 */

/** Groups of endpoints beyond the core interface. A service may have any subset. */
export const CAPABILITIES = ['projects', 'instances', 'receipts', 'lists', 'utils'] as const;

/** One of {@link CAPABILITIES}. */
export type Capability = (typeof CAPABILITIES)[number];

/** One call. `{name}` in the path is a path parameter, percent-encoded when filled. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** How a request body travels; `none` for reads. */
  readonly body: 'none' | 'json' | 'multipart';
  /** `message`: `{message, result}`; `status`: `{status: 200, result}`. */
  readonly envelope: 'message' | 'status';
  /** True when the answer is a list that may come in pages. */
  readonly paged?: true;
  /** Absent: part of the core interface. */
  readonly capability?: Capability;
}

type Envelope = Endpoint['envelope'];

function one(envelope: Envelope, path: string, capability?: Capability): Endpoint {
  return { method: 'GET', path, body: 'none', envelope, ...(capability && { capability }) };
}

function list(envelope: Envelope, path: string, capability?: Capability): Endpoint {
  return { ...one(envelope, path, capability), paged: true };
}

function json(envelope: Envelope, path: string, capability?: Capability): Endpoint {
  return { method: 'POST', path, body: 'json', envelope, ...(capability && { capability }) };
}

function form(envelope: Envelope, path: string): Endpoint {
  return { method: 'POST', path, body: 'multipart', envelope };
}

const VERSIONS = '/api/contract/projects/{projectSlug}/versions';
const INSTANCES = '/api/contract/smart-contracts';
const UTILS = '/api/contract/utils';

/** All endpoints by name. */
export const ENDPOINTS = {
  'version.list': list('message', VERSIONS),
  'version.detail': one('message', `${VERSIONS}/{versionSlug}`),
  'version.create': form('message', VERSIONS),
  'version.update': form('message', `${VERSIONS}/{versionSlug}`),
  'version.deploy': json('message', `${VERSIONS}/{versionSlug}/deploy`),

  'audit.contract.create': json('status', '/api/audit/contracts'),
  'audit.category.create': json('status', '/api/audit/category'),
  'audit.tag.create': json('status', '/api/audit/tag'),
  'audit.record.create': json('status', '/api/audit/audit'),
  'audit.transactions': list('status', '/api/audit/get-audit-transaction'),
  'audit.record.detail': one('status', '/api/audit/audit/{id}'),

  'wallet.create-user': json('status', '/api/wallet/create-user'),

  'certificate.contract.create': json('status', '/api/certificate/create-smartcontract'),
  'certificate.mint': form('status', '/api/certificate/mint-certificate'),
  'certificate.mint-small': form('status', '/api/certificate/mint-certificate-small'),
  'certificate.mint-medium': form('status', '/api/certificate/mint-certificate-medium'),
  'certificate.mint-large': form('status', '/api/certificate/mint-certificate-large'),
  'certificate.list': list('status', '/api/certificate/get-certificate'),
  'certificate.transfer': json('status', '/api/certificate/transfer'),

  'project.list': list('message', '/api/contract/projects', 'projects'),
  'project.detail': one('message', '/api/contract/projects/{projectSlug}', 'projects'),
  'project.create': json('message', '/api/contract/projects', 'projects'),
  'project.update': { ...json('message', '/api/contract/projects/{projectSlug}', 'projects'), method: 'PUT' },

  'instance.list': list('message', INSTANCES, 'instances'),
  'instance.detail': one('message', `${INSTANCES}/{address}`, 'instances'),

  'transaction.detail': one('message', '/api/contract/transactions/{hash}', 'receipts'),
  'transaction.receipt': one('message', '/api/contract/transactions/{hash}/receipt', 'receipts'),
  'account.nonce': one('message', '/api/contract/accounts/{address}/nonce', 'receipts'),

  'audit.contract.list': list('status', '/api/audit/contracts', 'lists'),
  'audit.contract.detail': one('status', '/api/audit/contracts/{address}', 'lists'),
  'audit.category.list': list('status', '/api/audit/category', 'lists'),
  'audit.tag.list': list('status', '/api/audit/tag', 'lists'),
  'audit.record.list': list('status', '/api/audit/audit', 'lists'),
  'certificate.contract.list': list('status', '/api/certificate/get-smart-contract', 'lists'),
  'certificate.contract.detail': one('status', '/api/certificate/get-smart-contract/{address}', 'lists'),
  'wallet.list': list('status', '/api/wallet/wallet', 'lists'),
  'wallet.detail': one('status', '/api/wallet/wallet/{address}', 'lists'),
  'wallet.create': json('status', '/api/wallet/wallet', 'lists'),

  'utils.chain-id': one('message', `${UTILS}/chain-id`, 'utils'),
  'utils.gas-price': one('message', `${UTILS}/gas-price`, 'utils'),
  'utils.compiler-versions': one('message', `${UTILS}/compiler-versions`, 'utils'),
} satisfies Record<string, Endpoint>;

/** Name of an endpoint: a key of {@link ENDPOINTS}. */
export type EndpointName = keyof typeof ENDPOINTS;

/** The endpoint of a name, typed as the general shape. */
export function endpointOf(name: EndpointName): Endpoint {
  return ENDPOINTS[name];
}

/**
 * Fills the `{name}` parts of a path, each percent-encoded.
 *
 * @throws RangeError when a parameter is missing: the caller chose the wrong endpoint.
 */
export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new RangeError(`path ${path} needs ${name}`);
    return encodeURIComponent(value);
  });
}

/** Names of the two authentication headers that every request carries. */
export const AUTH_HEADERS = { id: 'client_id', secret: 'client_secret' } as const;

/** Image limits in bytes of the four mint endpoints (1, 10, 30, 100 MB; MB is 1,000,000 on the cautious side of both readings). */
export const MINT_TIERS = [
  { endpoint: 'certificate.mint', name: 'plain', maxBytes: 1_000_000 },
  { endpoint: 'certificate.mint-small', name: 'small', maxBytes: 10_000_000 },
  { endpoint: 'certificate.mint-medium', name: 'medium', maxBytes: 30_000_000 },
  { endpoint: 'certificate.mint-large', name: 'large', maxBytes: 100_000_000 },
] as const satisfies readonly { endpoint: EndpointName; name: string; maxBytes: number }[];

/** A version name: letters, digits, dot, dash, underscore (interface, Limits). */
export const VERSION_NAME: RegExp = /^[A-Za-z0-9._-]+$/;
