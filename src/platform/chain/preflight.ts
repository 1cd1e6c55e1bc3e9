import type { Json } from '../../model/json.js';
import { BLOCK_GAS } from './block-gas.js';
import { hexQuantity } from './receipts.js';
import type { Rpc } from './rpc.js';
import { payloadOf } from './signing.js';
import type { TransactionRow } from './ledger-tables.js';

/**
 * Code that creates contracts one after another from its input (32-byte length and init code, repeated) and answers
 * how many succeeded, 32 bytes. Put in the place of the deploying wallet for the length of one call, it shows whether a
 * whole deployment would succeed, each contract at its real address with its real creator.
 */
const CREATOR =
  '0x600060005b368110601457506000526020600' +
  '0f35b80359060200181816000378160006000f015603357019060010190600456' +
  '5b50506000523d60006020' +
  '3e3d6020016000f3';

/** Gas for a rehearsal: every member may use what a transaction may use, and all of them no more than fits in a block. */
const GAS_PER_MEMBER = 16_000_000n;

/** Caller of the rehearsal: any address but the wallet, whose own nonce a call would use up. */
const STAND_IN = '0x0000000000000000000000000000000000000001';

/**
 * How many leading members of a deployment would succeed on the newest block. A hint, not proof: the caller sends
 * the first that would fail too, and judges by its receipt. Members that are no creations by one wallet with
 * consecutive nonces are not rehearsed: the answer is then 0.
 */
export async function rehearse(rpc: Rpc, members: readonly TransactionRow[]): Promise<number> {
  const [first] = members;
  if (!first || !members.every((row, index) => follows(first, row, index))) return 0;
  const input = members.map((row) => lengthAndCode(payloadOf(row.raw).data.slice(2))).join('');
  const gas = GAS_PER_MEMBER * BigInt(members.length);
  const call = {
    from: STAND_IN,
    to: first.sender,
    data: `0x${input}`,
    gas: hexQuantity(gas < BLOCK_GAS ? gas : BLOCK_GAS),
  };
  const override: Json = { [first.sender]: { code: CREATOR, nonce: hexQuantity(first.nonce) } };
  try {
    const result = await rpc.request('eth_call', [call, 'latest', override]);
    return typeof result === 'string' && result.length >= 66 ? Number(BigInt(result.slice(0, 66))) : 0;
  } catch {
    // The node could not rehearse it (out of gas, memory): then one after the other, as without rehearsal.
    return 0;
  }
}

function follows(first: TransactionRow, row: TransactionRow, index: number): boolean {
  return row.recipient === null && row.sender === first.sender && row.nonce === first.nonce + index;
}

function lengthAndCode(code: string): string {
  return (code.length / 2).toString(16).padStart(64, '0') + code;
}
