import type { Json, JsonObject } from '../../src/model/json.js';
import { ENDPOINTS, type EndpointName } from '../../src/protocol/endpoint.js';
import { idText } from '../../src/kinds/listing.js';
import type { HttpResponse } from '../../src/remote/exchange.js';
import type { Platform, Row } from './platform.js';

/** Small, so that every list has a second page. */
const PAGE_SIZE = 2;

const ROUTES = (Object.keys(ENDPOINTS) as EndpointName[])
  .filter((name) => ENDPOINTS[name].method === 'GET')
  .map((name) => ({ name, path: new RegExp(`^${ENDPOINTS[name].path.replace(/\{\w+\}/g, '([^/]+)')}$`) }));

/** A query parameter of a list, and the field that it filters. */
const FILTERS = Object.entries({
  contract_address: 'contract_address',
  wallet_address: 'wallet_address',
  to: 'to_wallet',
  status: 'status',
  'filter-deployment_id': 'deployment',
  'filter-version': 'version',
});

/** Answers a GET from what the service shows now. */
export function answerGet(platform: Platform, address: string, nowMs: number): HttpResponse {
  const [path = '', queryText = ''] = address.split('?');
  const query = new URLSearchParams(queryText);
  if (path.startsWith('/documents/')) return document(platform, path);
  for (const { name, path: pattern } of ROUTES) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const params = match.slice(1).map((text) => decodeURIComponent(text));
    return answer(name, platform, { params, query, nowMs });
  }
  return jsonResponse(404, { message: 'no such page' });
}

/** A response with a JSON body. */
export function jsonResponse(
  status: number,
  body: Json,
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  return { type: 'response', status, headers, body: Buffer.from(JSON.stringify(body)) };
}

interface Asked {
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly nowMs: number;
}

function answer(name: EndpointName, platform: Platform, asked: Asked): HttpResponse {
  const { params, nowMs } = asked;
  const [first = '', second = ''] = params;
  const one = (table: string, key: string, value: string): HttpResponse => {
    const row = visible(platform.rows(table), nowMs).find((fields) => fields[key] === value);
    return row === undefined ? jsonResponse(404, { message: 'not found' }) : enveloped(name, row);
  };
  if (name === 'project.detail') return one('project.list', 'slug', first);
  if (name === 'wallet.detail') return one('wallet.list', 'address', first);
  if (name === 'transaction.receipt') return one('receipts', 'transactionHash', first);
  if (name === 'account.nonce') return enveloped(name, platform.accounts.nextNonce(first));
  if (name === 'version.detail') {
    const row = visible(platform.rows('version.list'), nowMs).find(({ slug }) => slug === second);
    const events = visible(platform.rows(`events ${second}`), nowMs);
    return row === undefined
      ? jsonResponse(404, { message: 'not found' })
      : enveloped(name, { ...row, emitted_events: events });
  }
  if (name === 'version.list') {
    const known = platform.rows('project.list').some(({ fields }) => fields['slug'] === first);
    if (!known) return jsonResponse(404, { message: 'no such project' });
  }
  return page(name, visible(platform.rows(name), nowMs), asked);
}

function page(name: EndpointName, rows: readonly JsonObject[], { query }: Asked): HttpResponse {
  const filters = FILTERS.flatMap(([parameter, field]) => {
    const wanted = query.get(parameter);
    return wanted === null ? [] : [{ field, wanted: wanted.toLowerCase() }];
  });
  const listed = rows.filter((row) =>
    filters.every(({ field, wanted }) => idText(row[field])?.toLowerCase() === wanted),
  );
  const number = Number(query.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(listed.length / PAGE_SIZE));
  const pagination = {
    current_page: number,
    total: listed.length,
    next_page_url: number < last ? `/?page=${number + 1}` : null,
  };
  return enveloped(name, listed.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE), { pagination });
}

function enveloped(name: EndpointName, result: Json, more: JsonObject = {}): HttpResponse {
  const frame = ENDPOINTS[name].envelope === 'message' ? { message: 'Success' } : { status: 200 };
  return jsonResponse(200, { ...frame, result, ...more });
}

function document(platform: Platform, path: string): HttpResponse {
  const row = platform.rows('documents').find(({ fields }) => fields['url'] === path);
  return row === undefined ? jsonResponse(404, {}) : jsonResponse(200, row.fields['json'] ?? null);
}

function visible(rows: readonly Row[], nowMs: number): readonly JsonObject[] {
  return rows.filter(({ visibleMs }) => visibleMs <= nowMs).map(({ fields }) => fields);
}
