import type { JsonObject } from '../../model/json.js';
import type { Receipt } from '../../protocol/shapes.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Writer } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import type { Signer } from './signer.js';
import { checksummed } from './signing.js';
import type { Fees } from './ledger.js';
import type { TransactionRow } from './ledger-tables.js';
import { setNonce } from './nonces.js';
import type { Settled, SettledListener } from './transactions.js';

/** How a transaction ended. */
export interface Outcome {
  readonly status: 'success' | 'failed';
  readonly message: string;
  readonly revertData: string;
  readonly receipt: Receipt | null;
  /** ISO 8601 with microseconds. */
  readonly timestamp: string;
}

/** What settlement needs. */
export interface SettlementParts {
  readonly chainId: number;
  readonly fees: () => Fees;
  readonly signer: Signer;
  readonly delivery: Delivery;
  readonly now: () => number;
}

/** Subject type of a transaction to oneself that uses up the nonce of one that will never be mined. */
export const FILLER = 'filler';

const WITHHELD = 'not sent: an earlier transaction of the same request failed';

/**
 * Records how transactions ended, tells their listeners, and puts their callbacks into the outbox: all inside the
 * writer's transaction, so that a crash leaves either everything or nothing.
 */
export class Settlement {
  readonly #parts: SettlementParts;
  readonly #listeners = new Map<string, SettledListener>();

  constructor(parts: SettlementParts) {
    this.#parts = parts;
  }

  /** Registers the one listener of a subject type. */
  listen(subjectType: string, listener: SettledListener): void {
    if (this.#listeners.has(subjectType)) throw new Error(`two listeners for ${subjectType}`);
    this.#listeners.set(subjectType, listener);
  }

  /** Records an outcome. A failure also ends the members of its group that were not sent yet. */
  async settle(writer: Writer, row: TransactionRow, outcome: Outcome): Promise<void> {
    const changed = await writer.run(
      `UPDATE transactions SET status = ?, message = ?, receipt = ? WHERE id = ? AND status = 'pending'`,
      [outcome.status, outcome.message, outcome.receipt && JSON.stringify(outcome.receipt), row.id],
    );
    if (changed === 0) return;
    const settled = settledOf(row, outcome);
    const added = await this.#listeners.get(row.subject_type)?.(writer, settled);
    if (row.callback_url !== null) await this.#enqueue(writer, row, callbackBody(settled, added));
    if (outcome.status === 'failed' && row.group_id !== null) await this.#withhold(writer, row);
  }

  /**
   * Frees the nonce of a transaction that will never be mined, so that what follows it can be: a custodial wallet
   * sends nothing to itself with that nonce; a foreign sender gets the nonce back, and what it had signed for later
   * nonces fails too.
   *
   * @returns raw bytes of what a custodial wallet sends instead
   */
  async release(writer: Writer, row: TransactionRow): Promise<string | undefined> {
    // Also when its key was used elsewhere: what the wallet has promised since must not suffer.
    const filler = await this.fill(writer, row);
    if (filler !== undefined) return filler;
    await setNonce(writer, row.sender, row.nonce);
    const later = await writer.all<TransactionRow>(
      `SELECT * FROM transactions WHERE sender = ? AND nonce > ? AND status = 'pending' ORDER BY nonce`,
      [row.sender, row.nonce],
    );
    for (const next of later) await this.settle(writer, next, this.#unsent(WITHHELD));
    return undefined;
  }

  /**
   * Records the transaction that uses up a nonce in a failed one's place; answers its raw bytes, or undefined when the
   * sender is no custodial wallet.
   */
  async fill(writer: Writer, row: TransactionRow): Promise<string | undefined> {
    const signed = await this.#signFiller(writer, row);
    if (!signed) return undefined;
    await writer.run(
      `INSERT INTO transactions (org, hash, sender, nonce, recipient, raw, custodial, subject_type, subject_id,
        position, block, created_at) VALUES (?, ?, ?, ?, ?, ?, 1, '${FILLER}', ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      [
        row.org,
        signed.hash,
        row.sender,
        row.nonce,
        row.sender,
        signed.raw,
        row.id,
        row.position ?? row.id,
        row.block,
        timestampOf(this.#parts.now()),
      ],
    );
    return signed.raw;
  }

  /**
   * Signs a filler that the node refused once more, at what gas costs by now, in its own row: a wallet that cannot pay
   * would get a new row with every round.
   */
  async refill(writer: Writer, filler: TransactionRow): Promise<void> {
    const signed = await this.#signFiller(writer, filler);
    if (!signed || signed.hash === filler.hash) return;
    await writer.run(`UPDATE transactions SET hash = ?, raw = ? WHERE id = ? AND status = 'pending'`, [
      signed.hash,
      signed.raw,
      filler.id,
    ]);
  }

  #signFiller(writer: Writer, { sender, nonce }: TransactionRow): ReturnType<Signer['sign']> {
    const { chainId, signer, fees } = this.#parts;
    return signer.sign(writer, sender, { chainId, nonce, to: sender, data: '0x', value: 0n, ...fees() });
  }

  async #withhold(writer: Writer, failed: TransactionRow): Promise<void> {
    const rest = await writer.all<TransactionRow>(
      `SELECT * FROM transactions WHERE group_id = ? AND status = 'pending' AND block IS NULL ORDER BY id`,
      [failed.group_id],
    );
    const [first] = rest;
    for (const row of rest) await this.settle(writer, row, this.#unsent(WITHHELD));
    if (first?.custodial === 0) await this.release(writer, first);
    else for (const row of rest) await this.fill(writer, row);
  }

  async #enqueue(writer: Writer, row: TransactionRow, body: JsonObject): Promise<void> {
    const shape = row.callback_shape;
    const wraps = shape === 'wrapped' || (shape === 'wrapped-failure' && body['status'] === 'failed');
    const wrapped = wraps ? { status: 200, result: body } : body;
    const subject = `${row.subject_type} ${String(row.subject_id)}`;
    await this.#parts.delivery.enqueue(writer, {
      org: row.org,
      url: row.callback_url ?? '',
      body: wrapped,
      subject,
    });
  }

  #unsent(message: string): Outcome {
    const timestamp = timestampOf(this.#parts.now());
    return { status: 'failed', message, revertData: '0x', receipt: null, timestamp };
  }
}

function settledOf(row: TransactionRow, outcome: Outcome): Settled {
  return {
    ...outcome,
    id: row.id,
    org: row.org,
    subject: { type: row.subject_type, id: row.subject_id },
    transactionHash: row.hash,
    nonce: row.nonce,
    from: checksummed(row.sender) ?? row.sender,
    contractAddress: row.contract_address,
  };
}

function callbackBody(settled: Settled, added: JsonObject | undefined): JsonObject {
  return {
    status: settled.status,
    from: settled.from,
    nonce: settled.nonce,
    transactionHash: settled.transactionHash,
    ...(settled.receipt && { receipt: { ...settled.receipt } }),
    ...(settled.status === 'failed' && { message: settled.message }),
    ...added,
  };
}
