import type { Scope } from './key.js';

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
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** How a request body travels; `none` for reads. */
  readonly body: 'none' | 'json' | 'multipart';
  /** `message`: `{message, result}`; `status`: `{status: 200, result}`. */
  readonly envelope: 'message' | 'status';
  /** What a key must be allowed to; a question that is posted only reads. */
  readonly scope: Extract<Scope, 'read' | 'write'>;
  /** True when the answer is a list that may come in pages. */
  readonly paged?: true;
  /** Absent: part of the core interface. */
  readonly capability?: Capability;
}

type Envelope = Endpoint['envelope'];

function one(envelope: Envelope, path: string, capability?: Capability): Endpoint {
  return { method: 'GET', path, body: 'none', envelope, scope: 'read', ...(capability && { capability }) };
}

function list(envelope: Envelope, path: string, capability?: Capability): Endpoint {
  return { ...one(envelope, path, capability), paged: true };
}

function json(envelope: Envelope, path: string, capability?: Capability): Endpoint {
  return { method: 'POST', path, body: 'json', envelope, scope: 'write', ...(capability && { capability }) };
}

/** A question with a body: it changes nothing. */
function ask(path: string, capability: Capability): Endpoint {
  return { ...json('message', path, capability), scope: 'read' };
}

function put(envelope: Envelope, path: string, capability: Capability): Endpoint {
  return { ...json(envelope, path, capability), method: 'PUT' };
}

/** A change that needs no body. */
function bare(method: 'PUT' | 'DELETE', path: string): Endpoint {
  return { ...one('status', path, 'lists'), method, scope: 'write' };
}

function form(envelope: Envelope, path: string): Endpoint {
  return { method: 'POST', path, body: 'multipart', envelope, scope: 'write' };
}

const VERSIONS = '/api/contract/projects/{projectSlug}/versions';
const INSTANCES = '/api/contract/smart-contracts';
const UTILS = '/api/contract/utils';
const CATEGORIES = '/api/audit/category';
const TAGS = '/api/audit/tag';
const WALLETS = '/api/wallet/wallet';

/** All endpoints by name. */
export const ENDPOINTS = {
  'version.list': list('message', VERSIONS),
  'version.detail': one('message', `${VERSIONS}/{versionSlug}`),
  'version.create': form('message', VERSIONS),
  'version.update': form('message', `${VERSIONS}/{versionSlug}`),
  'version.deploy': json('message', `${VERSIONS}/{versionSlug}/deploy`),

  'audit.contract.create': json('status', '/api/audit/contracts'),
  'audit.category.create': json('status', CATEGORIES),
  'audit.tag.create': json('status', TAGS),
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
  'project.update': put('message', '/api/contract/projects/{projectSlug}', 'projects'),

  'instance.list': list('message', INSTANCES, 'instances'),
  'instance.detail': one('message', `${INSTANCES}/{address}`, 'instances'),
  'instance.call': ask(`${INSTANCES}/{address}/call`, 'instances'),
  'instance.execute': json('message', `${INSTANCES}/{address}/execute`, 'instances'),

  'transaction.detail': one('message', '/api/contract/transactions/{hash}', 'receipts'),
  'transaction.receipt': one('message', '/api/contract/transactions/{hash}/receipt', 'receipts'),
  'account.nonce': one('message', '/api/contract/accounts/{address}/nonce', 'receipts'),

  'audit.contract.list': list('status', '/api/audit/contracts', 'lists'),
  'audit.contract.detail': one('status', '/api/audit/contracts/{address}', 'lists'),
  'audit.category.list': list('status', CATEGORIES, 'lists'),
  'audit.category.detail': one('status', `${CATEGORIES}/{id}`, 'lists'),
  'audit.category.update': put('status', `${CATEGORIES}/{id}`, 'lists'),
  'audit.category.delete': bare('DELETE', `${CATEGORIES}/{id}`),
  'audit.category.activate': bare('PUT', `${CATEGORIES}/{id}/activate`),
  'audit.category.deactivate': bare('PUT', `${CATEGORIES}/{id}/deactivate`),
  'audit.tag.list': list('status', TAGS, 'lists'),
  'audit.tag.detail': one('status', `${TAGS}/{id}`, 'lists'),
  'audit.tag.update': put('status', `${TAGS}/{id}`, 'lists'),
  'audit.tag.delete': bare('DELETE', `${TAGS}/{id}`),
  'audit.tag.activate': bare('PUT', `${TAGS}/{id}/activate`),
  'audit.tag.deactivate': bare('PUT', `${TAGS}/{id}/deactivate`),
  'audit.record.list': list('status', '/api/audit/audit', 'lists'),
  'audit.record.label': put('status', '/api/audit/audit/{id}', 'lists'),
  'certificate.contract.list': list('status', '/api/certificate/get-smart-contract', 'lists'),
  'certificate.contract.detail': one('status', '/api/certificate/get-smart-contract/{address}', 'lists'),
  'certificate.transactions': list('status', '/api/certificate/get-certificate-transaction', 'lists'),
  'certificate.owner-transfer': json('status', '/api/certificate/owner-transfer', 'lists'),
  'wallet.list': list('status', WALLETS, 'lists'),
  'wallet.detail': one('status', `${WALLETS}/{address}`, 'lists'),
  'wallet.create': json('status', WALLETS, 'lists'),
  'wallet.update': put('status', `${WALLETS}/{address}`, 'lists'),
  'wallet.activate': bare('PUT', `${WALLETS}/{address}/activate`),
  'wallet.deactivate': bare('PUT', `${WALLETS}/{address}/deactivate`),

  'utils.chain-id': one('message', `${UTILS}/chain-id`, 'utils'),
  'utils.gas-price': one('message', `${UTILS}/gas-price`, 'utils'),
  'utils.compiler-versions': one('message', `${UTILS}/compiler-versions`, 'utils'),
  'utils.deploy-encode': ask(`${UTILS}/deploy-encode`, 'utils'),
  'utils.execute-encode': ask(`${UTILS}/execute-encode`, 'utils'),
  'utils.estimate-gas': ask(`${UTILS}/estimate-gas`, 'utils'),
  'utils.simulate-transaction': ask(`${UTILS}/simulate-transaction`, 'utils'),
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
  if (!path.includes('{')) return path;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new RangeError(`path ${path} needs ${name}`);
    return encodeURIComponent(value);
  });
}

/** Names of the two authentication headers that every request carries. */
export const AUTH_HEADERS = { id: 'client_id', secret: 'client_secret' } as const;

/**
 * The four mint endpoints by what their images may have, which the interface says in MB. Whoever sends takes a MB for
 * 1,000,000 bytes (`maxBytes`), and whoever is asked for 1,048,576: so neither refuses what the other means.
 */
export const MINT_TIERS = [
  { endpoint: 'certificate.mint', name: 'plain', megabytes: 1, maxBytes: 1_000_000 },
  { endpoint: 'certificate.mint-small', name: 'small', megabytes: 10, maxBytes: 10_000_000 },
  { endpoint: 'certificate.mint-medium', name: 'medium', megabytes: 30, maxBytes: 30_000_000 },
  { endpoint: 'certificate.mint-large', name: 'large', megabytes: 100, maxBytes: 100_000_000 },
] as const satisfies readonly {
  endpoint: EndpointName;
  name: string;
  megabytes: number;
  maxBytes: number;
}[];

/** A version name: letters, digits, dot, dash, underscore (interface, Limits). */
export const VERSION_NAME: RegExp = /^[A-Za-z0-9._-]+$/;

/** Name of the attribute by which Windlass finds a certificate again when its answer was lost. */
export const MARKER_TRAIT = 'ref';

/** A step's key, as that attribute and the envelope of audit metadata hold it: 16 base32 characters. */
export const STEP_KEY: RegExp = /^[a-z2-7]{16}$/;
