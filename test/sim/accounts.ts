import { addr } from 'micro-eth-signer';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../../src/model/json.js';

/** A deployment that its owner signed: the chain takes it once, and only when its turn has come. */
export interface SignedCreation {
  readonly from: string;
  readonly nonce: number;
  /** Tells it from any other. */
  readonly text: string;
}

/** What a deploy request has signed for one of its contracts; undefined where the service signs. */
export function signedCreation(item: JsonObject): SignedCreation | undefined {
  const unsigned = member(item['signed_trx'], '$signed');
  if (!isJsonObject(unsigned)) return undefined;
  const from = (textMember(unsigned, 'from') ?? '').toLowerCase();
  return { from, nonce: Number(unsigned['nonce']), text: JSON.stringify(unsigned) };
}

/** The nonces of accounts that sign themselves. */
export class Accounts {
  readonly #mined = new Map<string, number>();
  readonly #waiting = new Map<string, SignedCreation>();

  /** Its next nonce, after all that waits to be mined. */
  nextNonce(address: string): number {
    const from = address.toLowerCase();
    const nonces = [...this.#waiting.values()].filter((item) => item.from === from).map(({ nonce }) => nonce);
    return Math.max(this.#minedOf(from), ...nonces.map((nonce) => nonce + 1));
  }

  submit(creation: SignedCreation): void {
    if (creation.nonce >= this.#minedOf(creation.from)) this.#waiting.set(creation.text, creation);
  }

  /** @returns the address that it creates, or why the chain does not take it */
  mine({ from, nonce, text }: SignedCreation): { readonly address: string } | { readonly error: string } {
    this.#waiting.delete(text);
    const next = this.#minedOf(from);
    if (nonce !== next) return { error: nonce < next ? 'nonce too low' : 'nonce too high' };
    this.#mined.set(from, nonce + 1);
    return { address: addr.getCreateAddress(addr.addChecksum(from), nonce) };
  }

  /** Mines a creation that the service signs for one of its wallets. @returns the address that it creates */
  create(wallet: string): string {
    const from = wallet.toLowerCase();
    const nonce = this.#minedOf(from);
    this.#mined.set(from, nonce + 1);
    return addr.getCreateAddress(addr.addChecksum(from), nonce);
  }

  #minedOf(from: string): number {
    return this.#mined.get(from) ?? 0;
  }
}

/** A JSON-RPC quantity. */
export function quantityOf(value: number): Json {
  return `0x${value.toString(16)}`;
}
