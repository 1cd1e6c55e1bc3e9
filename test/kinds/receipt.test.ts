import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { gradeOf, readReceipt, sameAddress, tokenTransfers } from '../../src/kinds/receipt.js';
import { address, hash } from '../support/builders.js';
import { ABSENT, found } from '../support/judging.js';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const NFT = address('nft');

function word(text: string): string {
  return `0x${text.replace('0x', '').padStart(64, '0')}`;
}

function receiptWith(logs: Json): ReturnType<typeof readReceipt> {
  return readReceipt({ status: true, transactionHash: hash(1), from: address('a'), to: NFT, logs });
}

function transfersOf(topics: Json, from = NFT): readonly unknown[] {
  const receipt = receiptWith([{ address: from, topics }]);
  return receipt === undefined ? [] : tokenTransfers(receipt, NFT);
}

describe('a receipt', () => {
  test('is read in web3.js and in JSON-RPC style', () => {
    const base = { transactionHash: hash(1), from: address('a') };
    for (const status of [true, 1, '0x1']) expect(readReceipt({ ...base, status })?.succeeded).toBe(true);
    for (const status of [false, 0, '0x0', 'ok', null])
      expect(readReceipt({ ...base, status })?.succeeded).toBe(false);
  });

  test('is none without a status, a hash or a sender', () => {
    const whole = { status: true, transactionHash: hash(1), from: address('a') };
    expect(readReceipt(whole)).toBeDefined();
    for (const key of Object.keys(whole)) {
      const { [key as keyof typeof whole]: _left, ...rest } = whole;
      expect(readReceipt(rest)).toBeUndefined();
    }
    expect(readReceipt([whole])).toBeUndefined();
    expect(readReceipt(null)).toBeUndefined();
  });

  test('shows the token transfers of one contract, ids as exact decimal text', () => {
    const id = word('ff'.repeat(31));
    expect(transfersOf([TRANSFER, word('0x0'), word(address('b')), id])).toEqual([
      { from: `0x${'0'.repeat(40)}`, to: address('b'), tokenId: BigInt(id).toString() },
    ]);
    expect(transfersOf([TRANSFER, word('0x0'), word(address('b')), id], address('other'))).toEqual([]);
  });

  test('shows none where topics are malformed, instead of breaking', () => {
    const words = [word('0x0'), word(address('b'))];
    for (const topics of [
      [TRANSFER, ...words],
      [TRANSFER, ...words, 'zz'],
      [TRANSFER, ...words, 7],
      'no',
      null,
    ])
      expect(transfersOf(topics)).toEqual([]);
    expect(receiptWith('no logs')?.logs).toEqual([]);
  });
});

describe('addresses', () => {
  test('are the same whatever their case, and never when one is missing', () => {
    expect(sameAddress('0xAB', '0xab')).toBe(true);
    expect(sameAddress(undefined, undefined)).toBe(false);
  });
});

describe('the grade of an answer', () => {
  test('is A for the chain and B for the platform', () => {
    expect(gradeOf(found(1, 'chain'))).toBe('A');
    expect(gradeOf(found(1))).toBe('B');
    expect(gradeOf(ABSENT)).toBe('B');
  });
});
