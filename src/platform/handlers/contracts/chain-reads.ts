import { checksummed } from '../../chain/signing.js';
import { isJsonObject, member, textMember, type Json } from '../../../model/json.js';
import { quantity, receiptOf } from '../../chain/receipts.js';
import { shownReceipt } from '../../chain/shown-receipt.js';
import { knownCompilers } from '../../../build/compilers.js';
import { notFound, type Context, type Handler } from '../handler.js';
import { wire } from '../wire.js';

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** A transaction as the chain has it, its numbers as numbers; what may exceed 2^53 is decimal text. */
export const transactionDetail: Handler = async (context, { params }) => {
  const found = await byHash(context, 'eth_getTransactionByHash', params['hash']);
  if (!isJsonObject(found)) throw notFound();
  const mined = found['blockNumber'] !== undefined && found['blockNumber'] !== null;
  const text = (name: string): string => textMember(found, name) ?? '';
  return {
    result: {
      hash: text('hash'),
      nonce: quantity(found['nonce']),
      blockHash: found['blockHash'] ?? null,
      blockNumber: mined ? quantity(found['blockNumber']) : null,
      transactionIndex: mined ? quantity(found['transactionIndex']) : null,
      from: checksummed(found['from']) ?? null,
      to: checksummed(found['to']) ?? null,
      value: decimal(found['value']),
      gasPrice: decimal(found['gasPrice']),
      gas: quantity(found['gas']),
      input: text('input'),
      chainId: text('chainId'),
      v: text('v'),
      r: text('r'),
      s: text('s'),
      type: quantity(found['type']),
    },
  };
};

/** The receipt of a transaction; 404 until it is mined. */
export const transactionReceipt: Handler = async (context, { params }) => {
  const found = await byHash(context, 'eth_getTransactionReceipt', params['hash']);
  const receipt = receiptOf(await shownReceipt(context.records, found));
  if (!receipt) throw notFound();
  const used = quantity(member(found, 'cumulativeGasUsed'));
  const price = quantity(member(found, 'effectiveGasPrice'));
  return { result: { ...wire(receipt), cumulativeGasUsed: used, effectiveGasPrice: price } };
};

/** The next nonce of an address, with what is accepted but not mined counted. */
export const accountNonce: Handler = async ({ chain, records }, { params }) => {
  const address = checksummed(params['address']);
  if (address === undefined) throw notFound();
  const onChain = quantity(await chain.request('eth_getTransactionCount', [address, 'pending']));
  const sql = 'SELECT next_nonce FROM accounts WHERE address = ?';
  const row = await records.first<{ next_nonce: number }>(sql, [address.toLowerCase()]);
  return { result: Math.max(onChain, row?.next_nonce ?? 0) };
};

/** Number of the chain. */
export const chainId: Handler = async ({ chain }) => ({ result: chain.chainId });

/** Price of gas in wei. */
export const gasPrice: Handler = async ({ chain, fees }) => {
  const { gasPrice: price } = fees();
  return { result: price === 0n ? 0 : quantity(await chain.request('eth_gasPrice', [])) };
};

/** Time that the registry gets to list compilers, in milliseconds. */
const COMPILERS_MS = 20_000;

/** Solidity versions that can be asked for, newest first. */
export const compilerVersions: Handler = async ({ packages }) => ({
  result: [...(await knownCompilers(packages, AbortSignal.timeout(COMPILERS_MS)))].reverse(),
});

function decimal(value: Json | undefined): string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value).toString() : '0';
}

async function byHash({ chain }: Context, method: string, hash: string | undefined): Promise<Json> {
  if (hash === undefined || !HASH.test(hash)) throw notFound();
  return chain.request(method, [hash]);
}
