import type { JsonObject } from '../../../model/json.js';
import type { CertificateWrite } from '../../../protocol/shapes.js';
import type { SettledListener, Submitted } from '../../chain/transactions.js';
import type { Writer } from '../../state/records.js';
import { timestampOf } from '../../state/timestamp.js';
import { insert } from '../../state/insert.js';
import type { Context } from '../handler.js';

/** Subject type of the transactions that mint and transfer certificates. */
export const CERTIFICATE_SUBJECT = 'certificate';

/** A mint or a transfer to send. Addresses are checksummed. */
export interface Move {
  readonly org: string;
  readonly contract: { readonly id: number; readonly address: string };
  readonly tokenId: number;
  readonly isMint: boolean;
  /** The custodial wallet that signs. */
  readonly from: string;
  readonly to: string;
  /** `0x` hex. */
  readonly data: string;
  readonly url: string | undefined;
}

/** Records a mint or transfer and its transaction, inside the writer's transaction. */
export async function sendMove(context: Context, writer: Writer, move: Move): Promise<Submitted> {
  const { org, contract, tokenId, isMint, from, to, data, url } = move;
  const id = await insert(
    writer,
    `INSERT INTO certificate_transactions (org, contract_id, token_id, is_mint, from_wallet, to_wallet, status,
      created_at) VALUES (?, ?, ?, ?, ?, ?, 'pending', ?)`,
    [org, contract.id, tokenId, Number(isMint), from, to, timestampOf(context.now())],
  );
  const submitted = await context.transactions.submit(writer, {
    org,
    from,
    to: contract.address,
    data,
    subject: { type: CERTIFICATE_SUBJECT, id },
    ...(url !== undefined && { callback: { url, shape: 'wrapped' } }),
  });
  const sql = 'UPDATE certificate_transactions SET transaction_hash = ? WHERE id = ?';
  await writer.run(sql, [submitted.transactionHash, id]);
  return submitted;
}

/** Records how a mint or transfer ended; a mint that succeeded counts towards the supply. */
export const settleMove: SettledListener = async (writer, settled) => {
  const row = await writer.first<{ contract_id: number; is_mint: number }>(
    `UPDATE certificate_transactions SET status = ?, block_number = ? WHERE id = ?
     RETURNING contract_id, is_mint`,
    [settled.status, settled.receipt?.blockNumber ?? null, settled.subject.id],
  );
  if (row?.is_mint === 1 && settled.status === 'success') {
    const sql = 'UPDATE certificate_contracts SET minted = minted + 1 WHERE id = ?';
    await writer.run(sql, [row.contract_id]);
  }
  return undefined;
};

/** What a mint or transfer answers. */
export function moveResult(
  context: Context,
  move: Pick<Move, 'org' | 'tokenId' | 'to'>,
  submitted: Submitted,
  paths: { readonly metadata: string; readonly image: string },
): JsonObject {
  const write: CertificateWrite = {
    nft_token_id: move.tokenId,
    transactionHash: submitted.transactionHash,
    nonce: submitted.nonce,
    from: submitted.from,
    organisation_id: move.org,
    receiver_wallet_address: move.to,
    certificate: context.files.url(paths.metadata),
    certificate_image: context.files.url(paths.image),
    status: 'pending',
  };
  return { ...write };
}
