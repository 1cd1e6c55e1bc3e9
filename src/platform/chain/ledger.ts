import type { Quotas } from '../admission/quotas.js';
import { ServiceError } from '../handlers/handler.js';
import type { Writer } from '../state/records.js';
import { timestampOf } from '../state/timestamp.js';
import { nextNonce, setNonce, takeNonce } from './nonces.js';
import { createAddress, checksummed, readSigned } from './signing.js';
import type { Signer } from './signer.js';
import type { Settlement } from './settlement.js';
import type { SignedSubmission, Submission, Submitted, Transactions } from './transactions.js';
import type { Wallets } from './wallets.js';

/** What a custodial transaction pays. */
export interface Fees {
  /** In wei per gas; zero on the embedded chain. */
  readonly gasPrice: bigint;
  /** Gas that a transaction may use. */
  readonly gasLimit: bigint;
}

/** What the ledger needs. */
export interface LedgerParts {
  readonly chainId: number;
  readonly fees: () => Fees;
  readonly wallets: Wallets;
  readonly signer: Signer;
  readonly settlement: Settlement;
  readonly quotas: Quotas;
  readonly now: () => number;
  /** Called after each commit that holds new transactions. */
  readonly wake: () => void;
}

/** Bytes that a transaction takes on record beside what is signed: its columns, its part of a block, what it is for. */
const ROW_BYTES = 1000;

interface NewRow {
  readonly org: string;
  readonly hash: string;
  readonly raw: string;
  readonly sender: string;
  readonly nonce: number;
  readonly recipient: string | null;
  readonly custodial: boolean;
  readonly submission: Pick<SignedSubmission, 'subject' | 'callback' | 'group'>;
}

const INSERT = `INSERT INTO transactions (org, hash, sender, nonce, recipient, raw, contract_address, custodial,
  subject_type, subject_id, group_id, callback_url, callback_shape, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`;

/** The transactions port over the records: nonces, signatures and raw bytes are durable before anything is sent. */
export function createLedger(parts: LedgerParts): Transactions {
  return {
    submit: (writer, submission) => submit(parts, writer, submission),
    submitSigned: async (writer, submission) => {
      const signed = readSigned(submission.raw);
      const expected = await nextNonce(writer, signed.sender);
      if (signed.nonce !== expected) {
        throw new ServiceError(422, `nonce ${String(signed.nonce)} given, ${String(expected)} expected`);
      }
      await setNonce(writer, signed.sender, signed.nonce + 1);
      return record(parts, writer, {
        org: submission.org,
        hash: signed.hash,
        raw: signed.raw,
        sender: signed.sender,
        nonce: signed.nonce,
        recipient: signed.to,
        custodial: false,
        submission,
      });
    },
    nextNonce,
    onSettled: (subjectType, listener) => {
      parts.settlement.listen(subjectType, listener);
    },
  };
}

async function submit(parts: LedgerParts, writer: Writer, submission: Submission): Promise<Submitted> {
  const wallet = await parts.wallets.find(writer, submission.org, submission.from);
  if (!wallet?.is_active) throw new ServiceError(422, 'The wallet address is invalid.');
  const nonce = await takeNonce(writer, wallet.address);
  const to = submission.to === null ? null : (checksummed(submission.to) ?? submission.to);
  const { chainId } = parts;
  const { gasPrice, gasLimit } = parts.fees();
  const { data, value = 0n } = submission;
  const unsigned = { chainId, nonce, to, data, value, gasPrice, gasLimit };
  const signed = await parts.signer.sign(writer, wallet.address, unsigned);
  if (!signed) throw new ServiceError(422, 'The wallet address is invalid.');
  return record(parts, writer, {
    org: submission.org,
    ...signed,
    sender: wallet.address,
    nonce,
    recipient: to,
    custodial: true,
    submission,
  });
}

async function record(parts: LedgerParts, writer: Writer, row: NewRow): Promise<Submitted> {
  const { subject, callback, group } = row.submission;
  const contractAddress = row.recipient === null ? createAddress(row.sender, row.nonce) : null;
  // The platform itself, which pays for gas, has no quota.
  const size = ROW_BYTES + row.raw.length;
  if (subject.type !== 'funding') await parts.quotas.take(writer, row.org, 'storedBytes', size);
  const inserted = await writer.first<{ id: number }>(INSERT, [
    row.org,
    row.hash,
    row.sender.toLowerCase(),
    row.nonce,
    row.recipient,
    row.raw,
    contractAddress,
    row.custodial ? 1 : 0,
    subject.type,
    subject.id,
    group ?? null,
    callback?.url ?? null,
    callback?.shape ?? null,
    timestampOf(parts.now()),
  ]);
  if (!inserted) throw new Error('the new transaction was not recorded');
  writer.afterCommit(parts.wake);
  return {
    id: inserted.id,
    transactionHash: row.hash,
    nonce: row.nonce,
    from: row.sender,
    contractAddress,
  };
}
