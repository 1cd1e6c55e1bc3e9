import { describe, expect, test } from 'vitest';
import { hintOf } from '../../src/execute/facts.js';
import { address, hash } from '../support/builders.js';

const RECEIPT = {
  transactionHash: hash(1),
  contractAddress: address(1),
  status: true,
  logsBloom: '0x00',
  logs: [{}],
};

describe('what is kept of a callback', () => {
  test('is the same wherever its fields stand', () => {
    const fields = {
      status: 'success',
      transactionHash: hash(1),
      nonce: 3,
      from: address('a'),
      receipt: RECEIPT,
    };
    expect(hintOf({ status: 200, result: fields })).toEqual(hintOf(fields));
    expect(hintOf(fields).claim).toBe('success');
  });

  test('leaves out logs and everything that bears on nothing', () => {
    const { facts } = hintOf({ status: 'success', receipt: RECEIPT, secret: 'x', nested: { a: 1 } });
    expect(facts).toEqual({
      status: 'success',
      receipt: { transactionHash: hash(1), contractAddress: address(1), status: true },
    });
  });

  test('keeps what a deployment names, and short texts only', () => {
    const item = { sc_artifact_id: 11, contract_address: address(1), receipt: RECEIPT, more: 'x' };
    const { claim, facts } = hintOf({
      status: 'Error',
      message: 'm'.repeat(9_000),
      deployment_id: 'd_1',
      deployed_contract_addresses: [item, 'nonsense', null],
    });
    expect(claim).toBe('failed');
    expect(facts['message']).toHaveLength(500);
    expect(facts['deployed_contract_addresses']).toMatchObject([
      { sc_artifact_id: 11, contract_address: address(1) },
    ]);
  });

  test('is nothing for bodies that are no callbacks', () => {
    for (const body of [null, 7, 'text', [], [{ status: 'success' }], { result: [] }])
      expect(hintOf(body)).toEqual({ claim: 'unparsed', facts: {} });
  });
});
