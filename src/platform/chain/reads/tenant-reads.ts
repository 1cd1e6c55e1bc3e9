import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject, textMember, type Json } from '../../../model/json.js';
import { Busy } from '../../admission/refusals.js';
import type { Chain } from '../chain.js';
import { quantity } from '../receipts.js';
import { chainOver, type Rpc } from '../rpc.js';
import { estimateGas } from './estimate.js';
import { searchLogs } from './logs.js';
import { checkRequest, HEAVY } from './request-rules.js';
import { NoTurn, Turns } from './turns.js';

/** What the requests of tenants may ask of the node. */
export interface ReadRules {
  /** Requests that run code or search, at a time, all organisations together. */
  readonly heavyAtATime: number;
  /** Of one organisation. */
  readonly heavyPerOrganisation: number;
  /** Requests of one organisation that may wait for their turn. */
  readonly waiting: number;
  /** How long a request may take, its waiting included, in milliseconds. */
  readonly patienceMs: number;
  /** Bounds for tenants that nobody knows; undefined: whoever asks has the platform to himself. */
  readonly bounds: { readonly callGas: bigint; readonly logBlocks: number } | undefined;
}

/** What tenants' reads are made of. */
export interface TenantReadsParts {
  /** A connection of its own: nothing that the platform itself sends waits behind it. */
  readonly rpc: Rpc;
  readonly about: Pick<Chain, 'chainId' | 'rpcUrl' | 'mostGas'>;
  readonly rules: ReadRules;
  /** Told how long the node was kept by a call of an organisation, in milliseconds. */
  readonly spent: (org: string, milliseconds: number) => void;
}

/** Lookups at a time: each takes the node next to nothing. */
export const LOOKUPS_AT_A_TIME = 4;

/** How long a request of a tenant waits for work of the platform's own at most, in milliseconds. */
const COURTESY_MS = 1000;

/**
 * The chain as tenants read it. Organisations take turns at the node; while the platform itself works on a block,
 * nothing new that runs code begins, because a node that runs code writes nothing meanwhile.
 */
export class TenantReads {
  readonly #parts: TenantReadsParts;
  readonly #heavy: Turns;
  readonly #lookups: Turns;
  #ownWork = 0;

  constructor(parts: TenantReadsParts) {
    const { heavyAtATime, heavyPerOrganisation, waiting } = parts.rules;
    this.#parts = parts;
    const heavy = { atATime: heavyAtATime, perOwner: heavyPerOrganisation, waiting };
    this.#heavy = new Turns(heavy, () => this.#ownWork === 0);
    this.#lookups = new Turns({ atATime: LOOKUPS_AT_A_TIME, perOwner: LOOKUPS_AT_A_TIME, waiting });
  }

  /** Requests that run code or search at present. */
  get running(): number {
    return this.#heavy.running;
  }

  /** The chain as an organisation reads it. Its requests throw Busy when too much waits, or takes too long. */
  of(org: string): Chain {
    const { about, rules } = this.#parts;
    const request = (method: string, params: readonly Json[]): Promise<Json> =>
      this.#request(org, method, params);
    return chainOver({ request }, about, rules.bounds?.callGas);
  }

  /** Does work of the platform's own: what tenants ask begins behind it, or after a second. */
  async ownWork<T>(work: () => Promise<T>): Promise<T> {
    this.#ownWork += 1;
    let held = true;
    const release = (): void => {
      if (held) this.#ownWork -= 1;
      held = false;
      this.#heavy.advance();
    };
    const longest = setTimeout(release, COURTESY_MS);
    try {
      return await work();
    } finally {
      clearTimeout(longest);
      release();
    }
  }

  /** See {@link Rpc.leave}. */
  leave(within: number): void {
    this.#parts.rpc.leave(within);
  }

  /** Ends after the requests under way. */
  close(): Promise<void> {
    return this.#parts.rpc.close();
  }

  async #request(org: string, method: string, params: readonly Json[]): Promise<Json> {
    const { bounds, patienceMs } = this.#parts.rules;
    const until = performance.now() + patienceMs;
    const ask = (one: string, its: readonly Json[]): Promise<Json> =>
      this.#ask(org, until - performance.now(), [one, its]);
    if (bounds === undefined) return ask(method, params);
    const height = async (): Promise<number> => quantity(await ask('eth_blockNumber', []));
    await checkRequest(method, params, { blocks: bounds.logBlocks, height });
    if (method === 'eth_getLogs') return searchLogs(params, { ask, height });
    if (method !== 'eth_estimateGas') return ask(method, params);
    return estimateGas(params, gasOf(params) ?? bounds.callGas, ask);
  }

  async #ask(
    org: string,
    patience: number,
    [method, params]: readonly [method: string, params: readonly Json[]],
  ): Promise<Json> {
    const { rpc, spent } = this.#parts;
    if (patience <= 0) throw tooLong();
    const isHeavy = HEAVY.has(method);
    const turns = isHeavy ? this.#heavy : this.#lookups;
    const ending = new AbortController();
    // The place is held until the node is done, however early whoever asked is told that it takes too long.
    const answer = turns.run(org, patience, async () => {
      const began = performance.now();
      try {
        return await rpc.request(method, params);
      } finally {
        // A lookup takes longer only for what others run.
        if (isHeavy) spent(org, performance.now() - began);
      }
    });
    const late = pause(patience, undefined, { signal: ending.signal }).then(
      () => Promise.reject(tooLong()),
      () => new Promise<never>(() => undefined),
    );
    try {
      return await Promise.race([answer, late]);
    } catch (cause) {
      if (!(cause instanceof NoTurn)) throw cause;
      throw cause.reason === 'late'
        ? tooLong()
        : new Busy(429, 'Too many calls of the organisation are waiting.', 1);
    } finally {
      ending.abort();
      answer.catch(() => undefined);
    }
  }
}

function tooLong(): Busy {
  return new Busy(503, 'The chain took too long to answer.', 5);
}

/** The gas that a call names; its limit was put there before. */
function gasOf([call]: readonly Json[]): bigint | undefined {
  const text = isJsonObject(call) ? textMember(call, 'gas') : undefined;
  return text === undefined ? undefined : BigInt(text);
}
