import { addr } from 'micro-eth-signer';
import { describe, expect, test } from 'vitest';
import type { ReadAnswer } from '../../src/kinds/operation.js';
import { WindlassError } from '../../src/model/error.js';
import { readCreated } from '../../src/remote/created.js';
import type { Rpc } from '../../src/remote/rpc.js';

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const OTHER = `0x${'77'.repeat(20)}`;

function at(nonce: number): string {
  return addr.getCreateAddress(WALLET, nonce);
}

function node(count: unknown): Rpc {
  return { call: () => Promise.resolve(count) } as unknown as Rpc;
}

/** The service without a node, which tells a nonce. */
function told(answer: ReadAnswer): Promise<ReadAnswer> {
  return readCreated({ type: 'created', wallet: WALLET, addresses: [at(3)] }, undefined, () =>
    Promise.resolve(answer),
  );
}

const none = (): Promise<ReadAnswer> => Promise.reject(new Error('not asked'));

describe('who created a contract', () => {
  test('is told from sender and nonce, whatever the spelling, also where the node lags a little', async () => {
    const addresses = [at(0), at(6).toLowerCase(), at(9), OTHER];
    const read = { type: 'created', wallet: WALLET.toLowerCase(), addresses } as const;
    expect(await readCreated(read, node('0x7'), none)).toEqual({
      type: 'found',
      source: 'chain',
      value: { [at(0).toLowerCase()]: 0, [at(6).toLowerCase()]: 6, [at(9).toLowerCase()]: 9, [OTHER]: null },
    });
  });

  test('is told by the nonce of the service where there is no node', async () => {
    expect(await told({ type: 'found', value: 4, source: 'read' })).toMatchObject({
      type: 'found',
      source: 'read',
      value: { [at(3).toLowerCase()]: 3 },
    });
  });

  test('is not told from what is no nonce, nor of a wallet with more transactions than are gone through', async () => {
    for (const odd of [null, -1, 'x', {}, 2 ** 60])
      expect((await told({ type: 'found', value: odd, source: 'read' })).type).toBe('unreadable');
    expect((await told({ type: 'unreadable', message: 'no' })).type).toBe('unreadable');
    expect((await told({ type: 'absent' })).type).toBe('unreadable');
    const read = { type: 'created', wallet: WALLET, addresses: [OTHER] } as const;
    expect((await readCreated(read, node('0xffffff'), none)).type).toBe('unreadable');
    expect((await readCreated(read, node('what'), none)).type).toBe('unreadable');
    expect((await readCreated({ ...read, wallet: 'office' }, node('0x1'), none)).type).toBe('unreadable');
    const failing = {
      call: () => Promise.reject(new WindlassError('REMOTE_ANSWER', 'no')),
    } as unknown as Rpc;
    expect((await readCreated(read, failing, none)).type).toBe('unreadable');
  });
});
