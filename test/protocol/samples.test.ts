import { describe, expect, it } from 'vitest';
import { writeAuditRecord } from '../../src/kinds/audit-record.js';
import { createdAddress } from '../../src/kinds/transaction.js';
import type { Json } from '../../src/model/json.js';
import { callbackClaim, callbackFields, unwrap } from '../../src/protocol/envelope.js';
import { abilities, address, hash, known, REGISTRAR } from '../support/builders.js';
import { found, judged } from '../support/judging.js';

// Answers and callbacks as the interface and the public documentation show them, read by the client.

const RECEIPT = {
  status: true,
  transactionHash: hash(1),
  from: REGISTRAR,
  contractAddress: address('made'),
  logs: [],
};
const PAGE = { current_page: 1, last_page: 1, per_page: 10, total: 1, next_page_url: null };

describe('an answer', () => {
  it.each<[string, Json, object]>([
    ['with a message', { message: 'Success', result: 2207 }, { type: 'result', result: 2207 }],
    ['with a status', { status: 200, result: [] }, { type: 'result', result: [] }],
    [
      'with pages',
      { result: [], pagination: PAGE, message: 'Success' },
      { type: 'result', pagination: PAGE },
    ],
    ['of a hand-over', { status: 'success', result: { requestId: '118628', status: 1 } }, { type: 'result' }],
    ['with a status that is not 200', { status: 422, message: 'no' }, { type: 'failure', message: 'no' }],
    ['of a deletion', { message: 'Success', result: null }, { type: 'result', result: null }],
    ['without a result', { message: 'Server Error' }, { type: 'unrecognised' }],
    ['of a wallet before 2024', { status: 200, wallet: {} }, { type: 'unrecognised' }],
  ])('%s is taken out of its envelope', (_, body, unwrapped) => {
    expect(unwrap(body)).toMatchObject(unwrapped);
  });
});

describe('a callback', () => {
  const failure = { transactionHash: hash(1), nonce: 752, from: REGISTRAR, status: 'failed', message: 'why' };
  const success = {
    status: 'success',
    from: REGISTRAR,
    nonce: 1,
    transactionHash: hash(1),
    receipt: RECEIPT,
  };
  it.each<[string, Json, string]>([
    ['of an audit write', success, 'success'],
    ['of an audit write that failed', { status: 200, result: failure }, 'failed'],
    ['of a failure at the top level', failure, 'failed'],
    ['of a mint', { status: 200, result: success }, 'success'],
    ['of a deployment', { status: 'Completed', message: 'Success', deployment_id: 'x' }, 'success'],
    ['of a deployment that failed', { status: 'Error', message: 'why', deployment_id: 'x' }, 'failed'],
    ['of an execution', { status: 'Success', transactionHash: hash(1), receipt: RECEIPT }, 'success'],
    ['with nothing but a receipt', { status: 200, result: RECEIPT }, 'unparsed'],
    ['with a number for a status', { status: 1 }, 'unparsed'],
  ])('%s is understood', (_, body, claim) => {
    expect(callbackClaim(body)).toBe(claim);
  });

  it('of a creation leads to the address in either shape, named or in its receipt', () => {
    const made = address('made');
    expect(createdAddress(callbackFields({ ...success, contract_address: made }))).toBe(made);
    expect(createdAddress(callbackFields({ status: 200, result: success }))).toBe(made);
  });
});

describe('the answer to an audit write', () => {
  it('is accepted with its author under `from` or, as the documentation long printed, `form`', () => {
    const answer = {
      transactionHash: hash(1),
      nonce: 40,
      status: 'pending',
      metadatahash: '$2y$12$x',
      metadata: '{}',
    };
    const ids = { transactionHash: hash(1), metadatahash: '$2y$12$x' };
    expect(writeAuditRecord.accept({ ...answer, from: REGISTRAR }, {})).toEqual(ids);
    expect(writeAuditRecord.accept({ ...answer, form: REGISTRAR }, {})).toEqual(ids);
  });

  it('is proven by an entry of the list as the documentation shows it: without id and hash', () => {
    const entry = {
      to: null,
      from: REGISTRAR,
      status: 'success',
      blockNumber: 2_769_746,
      transactionHash: hash(1),
      method: 'mint',
      timestamp: '2024-07-24T19:20:09.000000Z',
      metadata: '{}',
    };
    const attempt = known({ ids: { transactionHash: hash(1), metadatahash: '$2y$12$x' }, context: {} });
    const core = abilities({ capabilities: [] });
    const verdict = judged(writeAuditRecord, attempt, core, { 'audit.transactions': found([entry]) });
    expect(verdict).toMatchObject({ type: 'confirmed', grade: 'B' });
  });
});
