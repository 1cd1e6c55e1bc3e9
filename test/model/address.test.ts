import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { getAddress } from 'viem';
import { looksLikeAddress, readAddress } from '../../src/model/address.js';

const digits = (): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex'));

describe('a chain address', () => {
  test('is read in lower case, in upper case and in checksum form, and written in checksum form', () => {
    fc.assert(
      fc.property(digits(), (lower) => {
        const address = getAddress(`0x${lower}`);
        for (const text of [`0x${lower}`, `0x${lower.toUpperCase()}`, address])
          expect(readAddress(text)).toEqual({ ok: true, address });
      }),
    );
  });

  test.each([
    // The addresses of EIP-55.
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  ])('%s stays as it is', (address) => {
    expect(readAddress(address)).toEqual({ ok: true, address });
  });

  test('with one letter in the wrong case is refused, and the fix names what it would be', () => {
    const reading = readAddress('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
    expect(reading).toMatchObject({ ok: false });
    expect(reading).toHaveProperty(
      'fix',
      expect.stringContaining('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
    );
  });

  test.each([
    '',
    '0x',
    '0x123',
    `0x${'0'.repeat(41)}`,
    `0x${'g'.repeat(40)}`,
    '0'.repeat(40),
    ` 0x${'0'.repeat(40)}`,
  ])('is not %j', (text) => {
    expect(readAddress(text)).toMatchObject({ ok: false });
  });

  test('is meant by what begins with 0x, in either case', () => {
    expect(['0xabc', '0Xabc', 'abc', 'x0'].map(looksLikeAddress)).toEqual([true, true, false, false]);
  });
});
