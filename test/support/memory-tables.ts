import type { Json } from '../../src/model/json.js';
import type { Abilities } from '../../src/kinds/kind.js';
import type { ReadAnswer, ReadRequest } from '../../src/kinds/operation.js';
import { endpointOf } from '../../src/protocol/endpoint.js';

/** One thing that the service holds, as its lists show it. */
export type Row = { [key: string]: Json };

/** What the service holds, by the endpoint that lists it. */
export class Tables {
  readonly #rows = new Map<string, Row[]>();

  rows(table: string): Row[] {
    const rows = this.#rows.get(table) ?? [];
    this.#rows.set(table, rows);
    return rows;
  }
}

type ServiceRead = Extract<ReadRequest, { type: 'service' }>;

const ABSENT: ReadAnswer = { type: 'absent' };
const UNREADABLE: ReadAnswer = { type: 'unreadable', message: 'not offered here' };

/** Answers a read from the tables, as far as the environment offers it. */
export function answerRead(request: ReadRequest, tables: Tables, { capabilities }: Abilities): ReadAnswer {
  if (request.type === 'file') return one(tables.rows('documents'), 'url', request.url);
  if (request.type === 'receipt') {
    if (!capabilities.has('receipts')) return UNREADABLE;
    return one(tables.rows('receipts'), 'transactionHash', request.hash);
  }
  if (request.type !== 'service') return UNREADABLE;
  const { capability } = endpointOf(request.endpoint);
  if (capability !== undefined && !capabilities.has(capability)) return UNREADABLE;
  return answerService(request, tables);
}

function answerService({ endpoint, params = {}, query = {} }: ServiceRead, tables: Tables): ReadAnswer {
  const slug = params['projectSlug'];
  if (endpoint === 'project.detail') return one(tables.rows('project.list'), 'slug', slug);
  if (endpoint === 'wallet.detail') return one(tables.rows('wallet.list'), 'address', params['address']);
  if (endpoint === 'version.detail') return one(tables.rows('version.list'), 'slug', params['versionSlug']);
  if (endpoint === 'version.list' && one(tables.rows('project.list'), 'slug', slug).type === 'absent')
    return ABSENT;
  return found(tables.rows(endpoint).filter((row) => isListed(row, query)));
}

/** True when a row passes the filters and, if it is a transaction, is confirmed. */
function isListed(row: Row, query: Readonly<Record<string, string>>): boolean {
  const pairs: readonly (readonly [Json | undefined, string | undefined])[] = [
    [row['contract_address'], query['contract_address']],
    [row['to_wallet'], query['to']],
    [row['deployment'], query['filter-deployment_id']],
    [row['version'], query['filter-version']],
  ];
  const confirmed = row['transactionHash'] === undefined || row['status'] === 'success';
  return confirmed && pairs.every(([is, wanted]) => wanted === undefined || is === wanted);
}

function one(rows: readonly Row[], key: string, value: string | undefined): ReadAnswer {
  const row = rows.find((item) => item[key] === value);
  return row === undefined ? ABSENT : found(row);
}

function found(value: Json): ReadAnswer {
  return { type: 'found', value: structuredClone(value), source: 'read' };
}
