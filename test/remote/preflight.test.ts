import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { WindlassError } from '../../src/model/error.js';
import type { Json } from '../../src/model/json.js';
import type { ReadAnswer } from '../../src/kinds/operation.js';
import { unreadiness, type PreflightParts } from '../../src/remote/preflight.js';

const KEY = `0x${'2c'.repeat(32)}` as const;
const { address } = privateKeyToAccount(KEY);
const SIGNERS = [
  { of: 'contract.core.Token', address, signer: { key: { $secret: { env: 'KEY' } } } },
] as const;

const account = (gasPrice: string): ReadAnswer => ({
  type: 'found',
  value: { nonce: 0, chainId: 1, gasPrice, creates: [] },
  source: 'chain',
});

function parts(over: Partial<PreflightParts> & { readonly balance?: bigint } = {}): PreflightParts {
  const { balance = 0n, ...rest } = over;
  return {
    secrets: async () => KEY,
    files: async () => new Uint8Array(),
    read: async () => account('0'),
    rpc: { call: async (): Promise<Json> => `0x${balance.toString(16)}`, close: async () => undefined },
    ...rest,
  };
}

const faults = (given: PreflightParts): Promise<readonly string[]> =>
  unreadiness({ secrets: [], signers: SIGNERS, signed: [] }, given);

describe('a key that signs here', () => {
  test('is ready where gas is free', async () => {
    expect(await faults(parts())).toEqual([]);
  });

  test('has to be able to pay for one creation where gas has a price', async () => {
    const read = async (): Promise<ReadAnswer> => account('1000000000');
    const least = 1_000_000_000n * 2_053_000n;
    expect(await faults(parts({ read, balance: least }))).toEqual([]);
    const [fault] = await faults(parts({ read, balance: least - 1n }));
    expect(fault).toContain(`${String(least - 1n)} wei`);
    expect(await faults(parts({ read, rpc: undefined }))).toEqual([]);
  });

  test('needs an account that can be read', async () => {
    const read = async (): Promise<ReadAnswer> => ({ type: 'unreadable', message: 'HTTP 501' });
    expect(await faults(parts({ read }))).toEqual([expect.stringContaining('HTTP 501')]);
  });

  test('is not judged by a service that cannot be reached', async () => {
    const read = async (): Promise<ReadAnswer> => {
      throw new WindlassError('REMOTE_UNREACHABLE', 'nobody is there');
    };
    await expect(faults(parts({ read }))).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
  });
});
