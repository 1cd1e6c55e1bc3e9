import { WindlassError } from '../model/error.js';
import { isJsonObject } from '../model/json.js';
import { unwrap } from '../protocol/envelope.js';
import { endpointOf, type EndpointName } from '../protocol/endpoint.js';
import { jsonOf } from './classify.js';
import type { HttpResponse } from './exchange.js';

/** Tells the service from whatever else answers at the address of one. */
export interface Recognition {
  /**
   * Called with every answer to a read. One that any web server could have given, such as 404, counts only once the
   * service was recognised: by an answer in its envelope, or by one of its lists, which are asked for then.
   *
   * @throws REMOTE_NOT_SERVICE when no list of the interface is there
   */
  admit(response: HttpResponse): Promise<void>;
  /** Asks at once, where it was not recognised yet. @throws REMOTE_NOT_SERVICE, REMOTE_UNREACHABLE */
  ask(): Promise<void>;
}

/** Lists of the interface that need no id; a key may have been made for one part of the service only. */
const LISTS: readonly EndpointName[] = ['audit.transactions', 'certificate.list'];

const NOBODY = '0x0000000000000000000000000000000000000000';

/** About nobody, so that the answer is short. */
const QUERY: Partial<Record<EndpointName, string>> = {
  'audit.transactions': `wallet_address=${NOBODY}&contract_address=${NOBODY}&filter=from&status=success`,
  'certificate.list': `to=${NOBODY}&contract_address=${NOBODY}&status=success`,
};

/**
 * Opens the recognition of the service at a base address.
 *
 * @param get gets a path of its origin
 */
export function openRecognition(base: URL, get: (path: string) => Promise<HttpResponse>): Recognition {
  let known = false;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    if (known) return;
    asking ??= askLists(base, get).finally(() => (asking = undefined));
    await asking;
    known = true;
  };
  return {
    ask,
    admit: async (response) => {
      if (known) return;
      if (isRecognised(response)) known = true;
      else if (isAnybodys(response)) await ask();
    },
  };
}

async function askLists(base: URL, get: (path: string) => Promise<HttpResponse>): Promise<void> {
  const told: string[] = [];
  for (const name of LISTS) {
    const { path } = endpointOf(name);
    const response = await get(`${base.pathname.replace(/\/+$/, '')}${path}?${QUERY[name] ?? ''}`);
    if (!isAnybodys(response)) return;
    told.push(`GET ${path} with ${describe(response)}`);
  }
  throw notTheService(base, told.join(', '));
}

/** The error for an address at which something else answers. @param told what it answered */
export function notTheService(base: URL, told: string): WindlassError {
  const address = `${base.origin}${base.pathname.replace(/\/+$/, '')}`;
  return new WindlassError(
    'REMOTE_NOT_SERVICE',
    `What answers at ${address} is not the service: it answers ${told}.`,
  );
}

/** `HTTP 404 (text/html)`. */
export function describe({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `HTTP ${status} (${type})` : `HTTP ${status}`;
}

function isRecognised(response: HttpResponse): boolean {
  return response.status >= 200 && response.status < 300 && unwrap(jsonOf(response)).type === 'result';
}

/** An answer that any web server could give: there is no such path, or go elsewhere, or a page. */
export function isAnybodys(response: HttpResponse): boolean {
  const { status } = response;
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) return true;
  if (status < 200 || status >= 300) return false;
  return !isJsonObject(jsonOf(response)) || unwrap(jsonOf(response)).type === 'unrecognised';
}
