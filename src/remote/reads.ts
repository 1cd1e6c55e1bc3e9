import { digestOfBytes } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import type { ReadAnswer, ReadRequest } from '../kinds/operation.js';
import { endpointOf, fillPath, type Capability } from '../protocol/endpoint.js';
import { readAccount } from './account.js';
import { readCreated } from './created.js';
import { readChainCode, readChainOwner, readChainReceipt } from './chain.js';
import type { HttpResponse } from './exchange.js';
import { readGrowingList, type KnownLists } from './growing-list.js';
import { readList, readOne, type Get } from './reader.js';
import { cleanMessage } from './redact.js';
import type { Rpc } from './rpc.js';
import { parseStrictJson } from './strict-json.js';

/** Longest answer to one page of a read. */
const MAX_PAGE_BYTES = 64_000_000;

/** Longest file that is read back from the service. */
const MAX_FILE_BYTES = 5_000_000;

type ServiceRead = Extract<ReadRequest, { type: 'service' }>;

/** Where reads go. */
export interface ReadParts {
  readonly capabilities: ReadonlySet<Capability>;
  /** Origin and path of the service. */
  readonly base: URL;
  readonly rpc: Rpc | undefined;
  readonly lists: KnownLists;
  /** Gets a path of the service's origin, repeated as reads may be. */
  readonly get: (path: string, maxBytes: number) => Promise<HttpResponse>;
  /** Texts that no message may show. */
  readonly secrets: () => readonly string[];
}

/**
 * Answers any read. Messages are clean.
 *
 * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED, REMOTE_AUTHENTICATION, SECRET_MISSING
 */
export async function answerRead(parts: ReadParts, request: ReadRequest): Promise<ReadAnswer> {
  try {
    const answer = await dispatch(parts, request);
    if (answer.type !== 'unreadable') return answer;
    return { ...answer, message: cleanMessage(answer.message, parts.secrets()) };
  } catch (error) {
    if (!(error instanceof WindlassError)) throw error;
    const message = cleanMessage(error.message, parts.secrets());
    if (error.code === 'REMOTE_ANSWER') return { type: 'unreadable', message };
    throw new WindlassError(error.code, message, {
      advice: error.advice,
    });
  }
}

function dispatch(parts: ReadParts, request: ReadRequest): Promise<ReadAnswer> {
  switch (request.type) {
    case 'service':
      return readService(parts, request);
    case 'receipt':
      return readReceipt(parts, request.hash);
    case 'code':
    case 'owner':
      return readContract(parts, request);
    case 'account':
      return readAccount(request, parts.rpc, (read) => readService(parts, read));
    case 'created':
      return readCreated(request, parts.rpc, (read) => readService(parts, read));
    case 'file':
      return readFile(parts, request);
  }
}

function readContract(
  { rpc }: ReadParts,
  { type, address }: Extract<ReadRequest, { type: 'code' | 'owner' }>,
): Promise<ReadAnswer> {
  if (rpc === undefined) {
    const message = `this environment has no rpc_url to read ${type} from`;
    return Promise.resolve({ type: 'unreadable', message });
  }
  return type === 'code' ? readChainCode(rpc, address) : readChainOwner(rpc, address);
}

async function readService(parts: ReadParts, request: ServiceRead): Promise<ReadAnswer> {
  const endpoint = endpointOf(request.endpoint);
  if (endpoint.capability !== undefined && !parts.capabilities.has(endpoint.capability)) {
    return { type: 'unreadable', message: `this environment lacks the capability ${endpoint.capability}` };
  }
  const query = new URLSearchParams(request.query).toString();
  const base = parts.base.pathname.replace(/\/+$/, '');
  const path = `${base}${fillPath(endpoint.path, request.params ?? {})}${query === '' ? '' : `?${query}`}`;
  const get: Get = (page) => parts.get(page, MAX_PAGE_BYTES);
  if (!endpoint.paged) return readOne(get, path);
  const answer = await (request.growing ? readGrowingList(get, path, parts.lists) : readList(get, path));
  // Only what a list belongs to can be missing: a gateway that has lost its way says so of every path.
  if (answer.type !== 'absent' || endpoint.path.includes('{')) return answer;
  return { type: 'unreadable', message: `HTTP 404 for the list ${endpoint.path}` };
}

async function readReceipt(parts: ReadParts, hash: string): Promise<ReadAnswer> {
  if (parts.rpc) return readChainReceipt(parts.rpc, hash);
  const answer = await readService(parts, {
    type: 'service',
    endpoint: 'transaction.receipt',
    params: { hash },
  });
  return answer.type === 'found' && answer.value === null ? { type: 'absent' } : answer;
}

/** A file of the service, and its value when it is JSON (a token's document): same origin only, so that an answer cannot send us elsewhere (reliability §6.17). */
async function readFile(
  parts: ReadParts,
  { url: address, text }: ReadRequest & { readonly type: 'file' },
): Promise<ReadAnswer> {
  if (!URL.canParse(address, parts.base.href))
    return { type: 'unreadable', message: 'the file has no valid URL' };
  const url = new URL(address, parts.base);
  if (url.origin !== parts.base.origin) {
    return { type: 'unreadable', message: `the file is at ${url.origin}, not at the service` };
  }
  const { status, body } = await parts.get(`${url.pathname}${url.search}`, MAX_FILE_BYTES);
  if (status === 404) return { type: 'absent' };
  if (status !== 200) return { type: 'unreadable', message: `the file answers HTTP ${status}` };
  const json = parseStrictJson(body);
  return {
    type: 'found',
    value: {
      digest: digestOfBytes(body),
      sizeBytes: body.length,
      ...(json !== undefined && { json }),
      ...(text && { text: new TextDecoder().decode(body) }),
    },
    source: 'read',
  };
}
