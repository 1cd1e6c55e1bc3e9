import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isJsonObject, member, textMember, type Json } from '../../model/json.js';
import { ChainError, gasFault } from '../chain/chain.js';
import { adoptNonces } from '../chain/foreign.js';
import { freshPatience, shownReceipt, type Patience } from '../chain/shown-receipt.js';
import { readSigned } from '../chain/signing.js';
import { ServiceError, type Context } from '../handlers/handler.js';
import type { Scope } from '../../protocol/key.js';
import type { Gate } from '../admission/gate.js';
import { Busy } from '../admission/refusals.js';
import { LARGE_BODY_BYTES } from '../bodies/body-limits.js';
import { factsOfRefusal, ScopeMissing } from './access/rights.js';

/**
 * Methods that anybody may call. All of them read: the miner is the only one who writes to the chain, because a
 * transaction that is not in its block log would be lost with the next restart.
 */
const READS = new Set(
  (
    'eth_accounts eth_blobBaseFee eth_blockNumber eth_call eth_chainId eth_createAccessList ' +
    'eth_estimateGas eth_feeHistory eth_gasPrice eth_getBalance eth_getBlockByHash ' +
    'eth_getBlockByNumber eth_getBlockReceipts eth_getBlockTransactionCountByHash eth_getCode ' +
    'eth_getBlockTransactionCountByNumber eth_getLogs eth_getProof eth_getStorageAt ' +
    'eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex eth_syncing ' +
    'eth_getTransactionByHash eth_getTransactionCount eth_getTransactionReceipt ' +
    'eth_maxPriorityFeePerGas net_listening net_version web3_clientVersion web3_sha3'
  ).split(' '),
);

/** What these ask is nothing where gas is free; the node behind would name its own default. */
const PRICES = new Set(['eth_gasPrice', 'eth_maxPriorityFeePerGas']);

/** Longest answer to a batch, in characters: what comes behind is refused. */
const BATCH_ANSWER = 32_000_000;

/**
 * The JSON-RPC address for independent clients: reads go to the chain, and `eth_sendRawTransaction` goes through the
 * ledger like every other transaction.
 *
 * @param of.org organisation that transactions sent this way are booked on
 * @param of.gate admits requests with a key; absent: the address is open, as a node's is on loopback
 * @param of.batchCalls calls in one batch; each counts as a request
 */
export function mountRpc(
  server: FastifyInstance,
  context: Context,
  of: { readonly org: string; readonly gate?: Gate; readonly batchCalls: number },
): void {
  const { gate } = of;
  server.route({
    method: 'POST',
    url: '/rpc',
    bodyLimit: LARGE_BODY_BYTES,
    onRequest: [takeJson, ...(gate ? [gate.admit(undefined)] : [])],
    handler: async (request, reply) => {
      const org = gate?.orgOf(request) ?? of.org;
      const caller: Caller = {
        org,
        patience: freshPatience(),
        demand: async (scope) => {
          gate?.demand(request, scope);
          if (scope === 'write') await gate?.admitWrite(org);
        },
        isInDebt: () => gate?.isInDebt(org) === true,
        isGone: () => request.raw.socket.destroyed,
      };
      const body = request.body as Json;
      const own = { ...context, chain: context.chainOf(org) };
      if (!Array.isArray(body)) return answer(own, caller, body);
      const calls = body as readonly Json[];
      if (calls.length === 0) return failure(null, INVALID_REQUEST, 'Invalid Request');
      if (calls.length > of.batchCalls) {
        const text = `a batch holds ${String(of.batchCalls)} calls at most, and this one ${String(calls.length)}`;
        return failure(null, INVALID_REQUEST, text);
      }
      gate?.spend(request, calls.length - 1);
      return reply.type('application/json; charset=utf-8').send(await answerAll(own, caller, calls));
    },
  });
}

/** A form, which any page can make a browser post, is no call. @throws ServiceError 415 */
async function takeJson({ headers }: FastifyRequest): Promise<void> {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new ServiceError(415, 'Calls are posted as application/json.');
}

/** Who asks, and how long its receipts may be held back. */
interface Caller {
  readonly org: string;
  readonly patience: Patience;
  /** @throws ServiceError when the caller's key is not allowed to, or nothing can be written now */
  readonly demand: (scope: Scope) => Promise<void>;
  /** True when its calls have cost more than it may use. */
  readonly isInDebt: () => boolean;
  /** True when nobody is there any more to be answered. */
  readonly isGone: () => boolean;
}

/** The answers to a batch, one after another, as JSON. Every call has an answer. */
async function answerAll(context: Context, caller: Caller, calls: readonly Json[]): Promise<string> {
  const answers: string[] = [];
  let length = 0;
  for (const call of calls) {
    if (caller.isGone()) break;
    const refused =
      length > BATCH_ANSWER
        ? 'the answer to the batch is too long'
        : caller.isInDebt()
          ? 'the calls of the organisation took too long: try again later'
          : undefined;
    const text = JSON.stringify(
      refused === undefined
        ? await answer(context, caller, call)
        : failure(member(call, 'id') ?? null, LIMIT_EXCEEDED, refused),
    );
    length += text.length;
    answers.push(text);
  }
  return `[${answers.join(',')}]`;
}

const INVALID_REQUEST = -32_600;

/** Code for a limit (EIP-1474). */
const LIMIT_EXCEEDED = -32_005;

/** Code for what a caller may not do (EIP-1193). */
const NOT_ALLOWED = 4100;

async function answer(context: Context, { org, patience, demand }: Caller, call: Json): Promise<Json> {
  const id = member(call, 'id') ?? null;
  const method = textMember(call, 'method');
  const params = member(call, 'params') ?? [];
  if (!isJsonObject(call) || method === undefined || !Array.isArray(params)) {
    return failure(id, INVALID_REQUEST, 'Invalid Request');
  }
  const list = params as readonly Json[];
  try {
    const sends = method === 'eth_sendRawTransaction';
    if (!sends && !READS.has(method)) return failure(id, -32_601, `the method ${method} is not available`);
    await demand(sends ? 'write' : 'read');
    const asked = { method, params: list, patience };
    return success(id, await (sends ? send(context, org, list[0] ?? null) : read(context, asked)));
  } catch (cause) {
    return refusal(id, cause);
  }
}

function refusal(id: Json, cause: unknown): Json {
  if (cause instanceof ScopeMissing) return failure(id, NOT_ALLOWED, cause.message, factsOfRefusal(cause));
  if (cause instanceof Busy) return failure(id, LIMIT_EXCEEDED, cause.message);
  if (cause instanceof ChainError) return failure(id, cause.code, cause.message, cause.data);
  return failure(id, -32_000, cause instanceof Error ? cause.message : 'failed');
}

async function read(
  { chain, fees, records }: Context,
  asked: { readonly method: string; readonly params: readonly Json[]; readonly patience: Patience },
): Promise<Json> {
  const { method, params, patience } = asked;
  if (PRICES.has(method) && fees().gasPrice === 0n) return '0x0';
  const answered = await chain.request(method, params);
  return method === 'eth_getTransactionReceipt' ? shownReceipt(records, answered, patience) : answered;
}

async function send({ records, transactions, chain }: Context, org: string, raw: Json): Promise<Json> {
  if (typeof raw !== 'string') throw new ChainError('a signed transaction is needed', -32_602);
  const signed = readSigned(raw);
  if (signed.chainId !== BigInt(chain.chainId)) throw new ChainError('invalid chain id for signer', -32_000);
  const tooMuch = gasFault(chain, signed.gasLimit);
  if (tooMuch !== undefined) throw new ChainError(`the transaction ${tooMuch}`, -32_000);
  const known = `SELECT id FROM transactions WHERE hash = ? AND (status != 'failed' OR receipt IS NOT NULL)`;
  if (await records.first(known, [signed.hash])) throw new ChainError('already known', -32_000);
  await adoptNonces(chain, records, [signed.sender]);
  const subject = { type: 'external', id: 0 };
  await records.transact((writer) => transactions.submitSigned(writer, { org, raw: signed.raw, subject }));
  return signed.hash;
}

function success(id: Json, result: Json): Json {
  return { jsonrpc: '2.0', id, result };
}

function failure(id: Json, code: number, message: string, data: Json = null): Json {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== null && { data }) } };
}
