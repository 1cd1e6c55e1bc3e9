import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { FORGERIES, SHAPES } from './rules.js';

/** What is posted in place of a callback, or before it. */
export interface Post {
  readonly url: string;
  readonly body: string;
}

/** Address of nobody, and a transaction that never was. */
const NOBODY = '0x00000000000000000000000000000000DeaDBeef';
const NOTHING = `0x${'de'.repeat(32)}`;

/** Members whose values say where and how something went; a forger changes them. */
const FORGED_VALUES: Readonly<Record<string, Json>> = {
  transactionHash: NOTHING,
  transaction_hash: NOTHING,
  blockHash: NOTHING,
  contractAddress: NOBODY,
  contract_address: NOBODY,
  from: NOBODY,
  nonce: 999_999,
  blockNumber: 999_999,
  message: 'Forged by a fault.',
};

/** Words of success and failure, by the word that stands in the true body. */
const WORDS: Readonly<Record<string, readonly [success: string, failure: string]>> = {
  success: ['success', 'failed'],
  failed: ['success', 'failed'],
  Success: ['Success', 'Error'],
  Completed: ['Completed', 'Error'],
  Error: ['Completed', 'Error'],
};

/** A false callback in the likeness of a true one: it claims success or failure with values of a forger. */
export function forgery(true_: Post, as: (typeof FORGERIES)[number]): Post {
  const body = JSON.parse(true_.body) as Json;
  if (as === 'stranger')
    return { url: withOtherToken(true_.url), body: JSON.stringify(forge(body, 'success')) };
  return { url: true_.url, body: JSON.stringify(forge(body, as)) };
}

/** The body of a callback in a shape that nobody documents. */
export function misshapen(body: string, as: (typeof SHAPES)[number]): string {
  switch (as) {
    case 'not_json':
      return body.slice(0, Math.max(1, Math.floor(body.length / 2)));
    case 'empty':
      return '';
    case 'list':
      return `[${body}]`;
    case 'nested':
      return `{"data":{"payload":${body}}}`;
    case 'renamed':
      return JSON.stringify(renamed(JSON.parse(body) as Json));
  }
}

function forge(value: Json, as: 'success' | 'failure'): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => forge(item, as));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, forgedMember(name, member, as)]),
  );
}

function forgedMember(name: string, value: Json, as: 'success' | 'failure'): Json {
  if (name === 'status' && typeof value === 'boolean') return as === 'success';
  if (name === 'status' && typeof value === 'string')
    return WORDS[value]?.[as === 'success' ? 0 : 1] ?? value;
  const forged = typeof value === 'object' ? undefined : FORGED_VALUES[name];
  return forged ?? forge(value, as);
}

/** The same address with another last segment of the same length: a token that is nobody's. */
function withOtherToken(url: string): string {
  const other = new URL(url);
  const segments = other.pathname.split('/');
  const last = segments.pop() ?? '';
  other.pathname = [...segments, '0'.repeat(Math.max(1, last.length))].join('/');
  return other.href;
}

function renamed(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const members: JsonObject = value;
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [`x_${name}`, renamed(member)]));
}
