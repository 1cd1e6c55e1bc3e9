import { checksummed } from '../chain/signing.js';
import type { Value } from '../state/records.js';
import { invalid } from './handler.js';

/** Columns that a list of transactions is filtered by; addresses in them are checksummed. */
export interface FilterColumns {
  readonly from: string;
  /** Undefined when nothing of the list has a receiver. */
  readonly to: string | undefined;
  readonly contract: string;
}

/** Conditions to join with AND, and their arguments in order. */
export interface Filters {
  readonly where: readonly string[];
  readonly args: readonly Value[];
}

/** What `filter` may say: which side of the transaction `wallet_address` is on. */
const SIDES = ['from', 'to', 'to|from', 'from|to'] as const;

/** The status that a `status` parameter means; both spellings of failure are in use. Undefined when it is none. */
export function statusOf(text: string): 'pending' | 'success' | 'failed' | undefined {
  if (text === 'fail') return 'failed';
  return text === 'pending' || text === 'success' || text === 'failed' ? text : undefined;
}

/**
 * Reads `wallet_address` with `filter`, `contract_address` and `status`, all optional here.
 *
 * @throws ServiceError 422 when one is malformed
 */
export function readFilters(query: Readonly<Record<string, string>>, columns: FilterColumns): Filters {
  const parts = [walletFilter(query, columns), contractFilter(query, columns), statusFilter(query)];
  return { where: parts.flatMap((part) => part.where), args: parts.flatMap((part) => part.args) };
}

const NONE: Filters = { where: [], args: [] };

function walletFilter(query: Readonly<Record<string, string>>, columns: FilterColumns): Filters {
  const side = SIDES.find((name) => name === (query['filter'] || 'from'));
  if (!side) throw invalid({ filter: ['The selected filter is invalid.'] });
  const wallet = addressQuery(query, 'wallet_address');
  if (wallet === undefined) return NONE;
  const wanted = [
    ...(side === 'to' ? [] : [columns.from]),
    ...(side === 'from' || columns.to === undefined ? [] : [columns.to]),
  ];
  if (wanted.length === 0) return { where: ['1 = 0'], args: [] };
  return {
    where: [`(${wanted.map((column) => `${column} = ?`).join(' OR ')})`],
    args: wanted.map(() => wallet),
  };
}

function contractFilter(query: Readonly<Record<string, string>>, columns: FilterColumns): Filters {
  const address = addressQuery(query, 'contract_address');
  return address === undefined ? NONE : { where: [`${columns.contract} = ?`], args: [address] };
}

function statusFilter(query: Readonly<Record<string, string>>): Filters {
  const text = query['status'] ?? '';
  if (text === '') return NONE;
  const status = statusOf(text);
  if (!status) throw invalid({ status: ['The selected status is invalid.'] });
  return { where: ['status = ?'], args: [status] };
}

/** An address parameter, checksummed; undefined when absent. @throws ServiceError 422 when it is no address */
export function addressQuery(query: Readonly<Record<string, string>>, name: string): string | undefined {
  const text = query[name] ?? '';
  if (text === '') return undefined;
  const address = checksummed(text);
  if (address === undefined) {
    throw invalid({ [name]: [`The ${name.replaceAll('_', ' ')} field must be a valid address.`] });
  }
  return address;
}
