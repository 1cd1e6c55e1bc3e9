import type { JsonObject } from '../../model/json.js';
import type { Receipt } from '../../protocol/shapes.js';
import { countUse } from '../admission/quotas.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Writer } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import type { Signer } from './signer.js';
import { checksummed } from './signing.js';
import type { Fees } from './ledger.js';
import type { TransactionRow } from './ledger-tables.js';
import { nextNonce, setNonce } from './nonces.js';
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

  /** Records an outcome. A failure also ends the members of its group that were not sent yet, and frees their nonces. */
  async settle(writer: Writer, row: TransactionRow, outcome: Outcome): Promise<void> {
    const isNews = await this.#record(writer, row, outcome);
    if (isNews && outcome.status === 'failed') await this.#free(writer, await this.#endGroup(writer, row));
  }

  /**
   * Frees the nonce of a transaction that will never be mined, so that what follows it can be: a custodial wallet
   * sends nothing to itself with that nonce; a foreign sender gets the nonce back, and what it had signed for later
   * nonces fails too.
   *
   * @param block that still takes what a custodial wallet sends instead; null: the next one that is cut
   * @returns raw bytes of what a custodial wallet sends instead
   */
  async release(
    writer: Writer,
    row: TransactionRow,
    block: number | null = null,
  ): Promise<string | undefined> {
    const filler = await this.#fill(writer, row, block);
    if (filler === undefined) await this.#free(writer, [row]);
    return filler;
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

  /** Records one outcome and tells of it; answers whether it had none before. */
  async #record(writer: Writer, row: TransactionRow, outcome: Outcome): Promise<boolean> {
    const receipt = outcome.receipt && JSON.stringify(outcome.receipt);
    const changed = await writer.run(
      `UPDATE transactions SET status = ?, message = ?, receipt = ? WHERE id = ? AND status = 'pending'`,
      [outcome.status, outcome.message, receipt, row.id],
    );
    if (changed === 0) return false;
    // Logs may be megabytes: what they take is known when they are there.
    await countUse(writer, row.org, 'storedBytes', receipt?.length ?? 0);
    const settled = settledOf(row, outcome);
    const added = await this.#listeners.get(row.subject_type)?.(writer, settled);
    if (row.callback_url !== null) await this.#enqueue(writer, row, callbackBody(settled, added));
    return true;
  }

  /** Ends the members of a failed transaction's group that were not sent yet; answers them. */
  async #endGroup(writer: Writer, { group_id: group }: TransactionRow): Promise<readonly TransactionRow[]> {
    if (group === null) return [];
    const rest = await writer.all<TransactionRow>(
      `SELECT * FROM transactions WHERE group_id = ? AND status = 'pending' AND block IS NULL ORDER BY id`,
      [group],
    );
    for (const row of rest) await this.#record(writer, row, this.#unsent());
    return rest;
  }

  /**
   * Frees the nonces of transactions that ended unsent. The keys that the platform has fill theirs. Another sender gets
   * the lowest one back, and all that it signed for later ones ends, with the groups of that.
   */
  async #free(writer: Writer, ended: readonly TransactionRow[]): Promise<void> {
    const queue = [...ended];
    for (const row of queue) {
      // Also when its key was used elsewhere: what the wallet has promised since must not suffer.
      if ((await this.#fill(writer, row, null)) !== undefined) continue;
      await setNonce(writer, row.sender, Math.min(row.nonce, await nextNonce(writer, row.sender)));
      const later = await writer.all<TransactionRow>(
        `SELECT * FROM transactions WHERE sender = ? AND nonce > ? AND status = 'pending' ORDER BY nonce`,
        [row.sender, row.nonce],
      );
      for (const next of later) {
        await this.#record(writer, next, this.#unsent());
        queue.push(next, ...(await this.#endGroup(writer, next)));
      }
    }
  }

  /**
   * Records the transaction that uses up a nonce in a failed one's place, unless something does already; answers the
   * raw bytes of either, or undefined when the sender is no custodial wallet.
   */
  async #fill(writer: Writer, row: TransactionRow, block: number | null): Promise<string | undefined> {
    // Signatures of one transaction differ: a second filler would be another transaction, which no block can hold.
    const there = await writer.first<{ raw: string }>(
      `SELECT raw FROM transactions WHERE sender = ? AND nonce = ? AND id <> ?
         AND (status <> 'failed' OR receipt IS NOT NULL)`,
      [row.sender, row.nonce, row.id],
    );
    if (there) return there.raw;
    const signed = await this.#signFiller(writer, row);
    if (!signed) return undefined;
    await writer.run(
      `INSERT INTO transactions (org, hash, sender, nonce, recipient, raw, custodial, subject_type, subject_id,
        position, block, created_at) VALUES (?, ?, ?, ?, ?, ?, 1, '${FILLER}', ?, ?, ?, ?)`,
      [
        row.org,
        signed.hash,
        row.sender,
        row.nonce,
        row.sender,
        signed.raw,
        row.id,
        row.position ?? row.id,
        block,
        timestampOf(this.#parts.now()),
      ],
    );
    return signed.raw;
  }

  #signFiller(writer: Writer, { sender, nonce }: TransactionRow): ReturnType<Signer['sign']> {
    const { chainId, signer, fees } = this.#parts;
    return signer.sign(writer, sender, { chainId, nonce, to: sender, data: '0x', value: 0n, ...fees() });
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

  #unsent(): Outcome {
    const timestamp = timestampOf(this.#parts.now());
    return { status: 'failed', message: WITHHELD, revertData: '0x', receipt: null, timestamp };
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
