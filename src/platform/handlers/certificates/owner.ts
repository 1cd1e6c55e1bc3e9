import type { SettledListener } from '../../chain/transactions.js';
import { certificateOwnerTransfer } from '../../contracts/certificate.js';
import { insert } from '../../state/insert.js';
import { timestampOf, UPDATED_AT } from '../../state/timestamp.js';
import { callbackUrl } from '../callback-url.js';
import { custodialAddress } from '../custody.js';
import { Fields } from '../fields.js';
import { invalid, type Handler } from '../handler.js';
import { namedContract } from './contracts.js';

/** Subject type of the transactions that hand a certificate contract to another owner. */
export const OWNER_SUBJECT = 'certificate-owner';

/**
 * Hands a whole certificate contract, and with it the right to mint, to another wallet of the organisation: the
 * platform could not sign for an owner outside. The former owner cannot take it back. Answers in an envelope of its
 * own, as the service does.
 */
export const transferOwner: Handler = async (context, { org, body }) => {
  const fields = new Fields(body);
  const owner = { reader: context.records, org };
  const from = await custodialAddress(context, owner, fields, 'wallet_address');
  const to = await custodialAddress(context, owner, fields, 'to');
  const contract = await namedContract(context.records, org, fields);
  if (contract && from !== '' && contract.owner !== from) {
    fields.fault('wallet_address', 'must be the owner of the contract.');
  }
  const url = callbackUrl(context, fields);
  fields.check();
  if (!contract) throw invalid({});
  const { id, submitted } = await context.records.transact(async (writer) => {
    const id = await insert(
      writer,
      'INSERT INTO certificate_owner_transfers (org, contract_id, to_wallet, created_at) VALUES (?, ?, ?, ?)',
      [org, contract.id, to, timestampOf(context.now())],
    );
    const submitted = await context.transactions.submit(writer, {
      org,
      from,
      to: contract.address,
      data: certificateOwnerTransfer(to),
      subject: { type: OWNER_SUBJECT, id },
      ...(url !== undefined && { callback: { url, shape: 'wrapped' } }),
    });
    return { id, submitted };
  });
  const { nonce, transactionHash } = submitted;
  return {
    status: 'success',
    result: { requestId: String(id), from: submitted.from, nonce, transactionHash, status: 1 },
  };
};

/** Records the new owner once the chain has it. */
export const settleOwner: SettledListener = async (writer, settled) => {
  if (settled.status !== 'success') return undefined;
  const row = await writer.first<{ contract_id: number; to_wallet: string }>(
    'SELECT contract_id, to_wallet FROM certificate_owner_transfers WHERE id = ?',
    [settled.subject.id],
  );
  await writer.run(`UPDATE certificate_contracts SET owner = ?, ${UPDATED_AT} WHERE id = ?`, [
    row?.to_wallet ?? null,
    settled.timestamp,
    settled.timestamp,
    row?.contract_id ?? null,
  ]);
  return undefined;
};
