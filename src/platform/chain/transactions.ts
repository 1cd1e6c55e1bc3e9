import type { JsonObject } from '../../model/json.js';
import type { Receipt } from '../../protocol/shapes.js';
import type { Writer } from '../state/records.js';

/** What a transaction is for: the listeners of `type` are told when it settles. */
export interface Subject {
  readonly type: string;
  readonly id: number;
}

/**
 * Where a transaction's callback goes. `wrapped` puts the body under `{status: 200, result}`; `wrapped-failure` does
 * so for failures only, as the audit service does.
 */
export interface CallbackTarget {
  readonly url: string;
  readonly shape: 'plain' | 'wrapped' | 'wrapped-failure';
}

/** A transaction to sign with a custodial wallet. */
export interface Submission {
  readonly org: string;
  /** Custodial wallet of `org`; any case. */
  readonly from: string;
  /** Null creates a contract. */
  readonly to: string | null;
  /** `0x` hex. */
  readonly data: string;
  /** In wei. */
  readonly value?: bigint;
  readonly subject: Subject;
  readonly callback?: CallbackTarget;
  /** Transactions of one group: when one fails, those of the group not yet sent never are. */
  readonly group?: string;
}

/** A transaction that somebody else signed. */
export interface SignedSubmission {
  readonly org: string;
  /** `0x` hex. */
  readonly raw: string;
  readonly subject: Subject;
  readonly callback?: CallbackTarget;
  readonly group?: string;
}

/** What is known of a transaction once it is recorded. */
export interface Submitted {
  readonly id: number;
  readonly transactionHash: string;
  readonly nonce: number;
  /** Checksummed, as the submission named it. */
  readonly from: string;
  /** The address a creation will have, checksummed; null for calls. */
  readonly contractAddress: string | null;
}

/** A transaction that reached its end. */
export interface Settled {
  readonly id: number;
  readonly org: string;
  readonly subject: Subject;
  readonly transactionHash: string;
  readonly nonce: number;
  readonly from: string;
  readonly contractAddress: string | null;
  readonly status: 'success' | 'failed';
  /** Why it failed, for people; empty on success. */
  readonly message: string;
  /** `0x` hex of the revert data; `0x` when there is none. */
  readonly revertData: string;
  /** Null when it was never mined. */
  readonly receipt: Receipt | null;
  /** Time of its block (of now when it was never mined), ISO 8601 with microseconds. */
  readonly timestamp: string;
}

/**
 * Told of each settled transaction of its subject type, inside the transaction that records the outcome, so that
 * both become durable together. Answers members to add to the callback body (`contract_address`), or nothing.
 * Awaits nothing but the writer.
 */
export type SettledListener = (writer: Writer, settled: Settled) => Promise<JsonObject | undefined>;

/** The way onto the chain. Both writers are called inside the transaction that records what they are for. */
export interface Transactions {
  /**
   * Allocates the wallet's next nonce, signs, and records the transaction; the miner sends it after the commit.
   *
   * @throws ServiceError 422 when `from` is no active custodial wallet of `org`
   */
  submit(writer: Writer, submission: Submission): Promise<Submitted>;
  /** Records a transaction signed elsewhere. The caller has checked it; its nonce must be the sender's next. */
  submitSigned(writer: Writer, submission: SignedSubmission): Promise<Submitted>;
  /** The next nonce of an address, with everything recorded so far counted. */
  nextNonce(writer: Writer, address: string): Promise<number>;
  /** Registers the listener of a subject type; one each, before the platform starts. */
  onSettled(subjectType: string, listener: SettledListener): void;
}
