import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../../model/json.js';
import { ChainError, type CallOutcome, type Chain, type ContractCall } from './chain.js';
import { withinGas } from './reads/request-rules.js';
import { hexQuantity } from './receipts.js';
import { revertText } from './revert.js';

/** One member of a batch, answered in the order of asking. */
export type RpcAnswer =
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: false; readonly error: ChainError };

/** A JSON-RPC connection to a node. */
export interface Rpc {
  request(method: string, params: readonly Json[]): Promise<Json>;
  batch(
    calls: readonly (readonly [method: string, params: readonly Json[]])[],
  ): Promise<readonly RpcAnswer[]>;
  /** Gives the node so many milliseconds more, all requests together; what waits for it then fails, and what is asked later. */
  leave(within: number): void;
  /** Ends after the requests under way. */
  close(): Promise<void>;
}

/** How a connection to a node is used. */
export interface RpcUse {
  /** Requests at a time; 4 by default. */
  readonly connections?: number;
  /** Largest answer in bytes; any size by default. */
  readonly largestAnswer?: number;
}

/**
 * Connects to a node over HTTP.
 *
 * @param patience how long an answer may take, in milliseconds: a full block of large contracts takes seconds
 */
export function openRpc(url: string, patience = 60_000, use: RpcUse = {}): Rpc {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, {
    connections: use.connections ?? 4,
    bodyTimeout: patience,
    headersTimeout: patience,
    ...(use.largestAnswer !== undefined && { maxResponseSize: use.largestAnswer }),
  });
  const post = async (body: Json): Promise<unknown> => {
    const response = await pool.request({
      method: 'POST',
      path: `${pathname}${search}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new ChainError(`the node answered HTTP ${String(response.statusCode)}`);
    }
    return response.body.json();
  };
  let leaving: NodeJS.Timeout | undefined;
  return {
    request: async (method, params) => {
      const answer = answerOf(await post({ jsonrpc: '2.0', id: 1, method, params }));
      if (!answer.ok) throw answer.error;
      return answer.result;
    },
    batch: async (calls) => {
      if (calls.length === 0) return [];
      const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
      return answersOf(
        await post(body),
        calls.map((_, id) => id),
      );
    },
    leave: (within) => {
      const gone = new ChainError('the node did not answer before the platform ended');
      leaving ??= setTimeout(() => void pool.destroy(gone), within);
    },
    close: async () => {
      if (!pool.destroyed) await pool.close();
      clearTimeout(leaving);
    },
  };
}

const missing: RpcAnswer = { ok: false, error: new ChainError('the node left this request unanswered') };

/** The answers of a batch, in the order of their ids. @throws ChainError when it is none */
export function answersOf(body: unknown, ids: readonly number[]): readonly RpcAnswer[] {
  if (!Array.isArray(body)) throw new ChainError('the node does not answer batches');
  const byId = new Map(body.map((answer: unknown) => [member(answer, 'id'), answerOf(answer)]));
  return ids.map((id) => byId.get(id) ?? missing);
}

/** One answer of JSON-RPC. */
export function answerOf(body: unknown): RpcAnswer {
  const error = member(body, 'error');
  if (isJsonObject(error)) {
    const code = member(error, 'code');
    const text = textMember(error, 'message') ?? 'the node gave no reason';
    const failure = new ChainError(text, typeof code === 'number' ? code : 0, member(error, 'data') ?? null);
    return { ok: false, error: failure };
  }
  return { ok: true, result: member(body, 'result') ?? null };
}

/** How often a call is made that the node could not answer, and the pause between in milliseconds. */
const CALL_ATTEMPTS = 5;
const CALL_PAUSE = 20;

/** True when the EVM ended the call; else the node could not make it, e.g. because a block was mined meanwhile. */
function isVerdict({ code, data, message }: ChainError): boolean {
  return (
    code === 3 || typeof data === 'string' || /revert|EVM error|out ?of ?gas|invalid opcode/i.test(message)
  );
}

/** A call as JSON-RPC takes it. */
function callObject({ to, data, from, value, gas }: ContractCall): JsonObject {
  return {
    data,
    ...(to !== null && { to }),
    ...(from !== undefined && { from }),
    ...(value !== undefined && { value: hexQuantity(value) }),
    ...(gas !== undefined && { gas: hexQuantity(gas) }),
  };
}

/**
 * The read-only view of a node.
 *
 * @param callGas gas that one call may use; as much as a transaction by default
 */
export function chainOver(
  rpc: Pick<Rpc, 'request'>,
  about: Pick<Chain, 'chainId' | 'rpcUrl' | 'mostGas'>,
  callGas = about.mostGas,
): Chain {
  const request = (method: string, params: readonly Json[]): Promise<Json> =>
    rpc.request(method, callGas === undefined ? params : withinGas(callGas, method, params));
  return {
    ...about,
    request,
    call: async (asked): Promise<CallOutcome> => {
      const call = callObject(asked);
      for (let attempt = 1; ; attempt += 1) {
        try {
          const result = await request('eth_call', [call, 'latest']);
          return { ok: true, data: typeof result === 'string' ? result : '0x' };
        } catch (cause) {
          if (!(cause instanceof ChainError)) throw cause;
          const revertData = typeof cause.data === 'string' ? cause.data : '0x';
          if (isVerdict(cause))
            return { ok: false, message: revertText(revertData) ?? cause.message, revertData };
          if (attempt === CALL_ATTEMPTS) throw cause;
        }
        await pause(CALL_PAUSE);
      }
    },
  };
}
