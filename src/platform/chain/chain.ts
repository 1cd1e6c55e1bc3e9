import type { Json } from '../../model/json.js';

/** A read-only contract call. */
export interface ContractCall {
  readonly to: string | null;
  /** `0x` hex. */
  readonly data: string;
  readonly from?: string;
  /** Wei to send along. */
  readonly value?: bigint;
  /** Gas that it may use; {@link Chain.mostGas} when absent. */
  readonly gas?: bigint;
}

/** Outcome of a call: the returned bytes, or why it reverted. */
export type CallOutcome =
  | { readonly ok: true; readonly data: string }
  | { readonly ok: false; readonly message: string; readonly revertData: string };

/** The chain as handlers read it. Only the miner writes to it. */
export interface Chain {
  readonly chainId: number;
  readonly rpcUrl: string;
  /**
   * Gas that one call or transaction may use, so that none can keep the embedded chain to itself. Undefined where a node
   * has a limit of its own.
   */
  readonly mostGas: bigint | undefined;
  /** One JSON-RPC request; only standard `eth_` methods. @throws ChainError with the node's own text */
  request(method: string, params: readonly Json[]): Promise<Json>;
  /** `eth_call` on the newest block. */
  call(call: ContractCall): Promise<CallOutcome>;
}

/** A refusal by the node, with its JSON-RPC code and text. */
export class ChainError extends Error {
  readonly code: number;
  readonly data: Json;

  constructor(message: string, code = 0, data: Json = null) {
    super(message);
    this.name = 'ChainError';
    this.code = code;
    this.data = data;
  }
}

/** Why a transaction signed elsewhere may not be sent for the gas it may use; undefined when it may. */
export function gasFault({ mostGas }: Pick<Chain, 'mostGas'>, gasLimit: bigint): string | undefined {
  if (mostGas === undefined || gasLimit <= mostGas) return undefined;
  return `has a gas limit over ${String(mostGas)}.`;
}
