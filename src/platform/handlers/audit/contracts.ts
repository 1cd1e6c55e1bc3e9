import { checksummed } from '../../chain/signing.js';
import type { JsonObject } from '../../../model/json.js';
import type { SettledListener } from '../../chain/transactions.js';
import { auditTrailCreation } from '../../contracts/audit-trail.js';
import type { Reader, Writer } from '../../state/records.js';
import { timestampOf, UPDATED_AT } from '../../state/timestamp.js';
import { insert } from '../../state/insert.js';
import { callbackUrl } from '../callback-url.js';
import { Fields } from '../fields.js';
import { notFound, type Context, type Handler } from '../handler.js';
import type { AuditContractRow } from './tables.js';

/** Subject type of the transactions that create audit contracts. */
export const AUDIT_CONTRACT_SUBJECT = 'audit-contract';

const COLUMNS = 'id, name, encrypted, address, transaction_hash';

/**
 * Creates an audit contract from the organisation's system wallet. Without `field.encrypt_data` metadata stays off the
 * chain: what is published cannot be taken back.
 */
export const createAuditContract: Handler = async (context, { org, body }) => {
  const fields = new Fields(body);
  const name = fields.text('name');
  const encrypted = fields.nested('field').optionalBoolean('encrypt_data') ?? true;
  const url = callbackUrl(context, fields);
  fields.check();
  const time = timestampOf(context.now());
  await context.records.transact(async (writer) => {
    const id = await insert(
      writer,
      `INSERT INTO audit_contracts (org, name, encrypted, status, created_at, updated_at)
       VALUES (?, ?, ?, 'pending', ?, ?)`,
      [org, name, Number(encrypted), time, time],
    );
    const { transactionHash } = await context.transactions.submit(writer, {
      org,
      from: await systemWallet(context, writer, org),
      to: null,
      data: auditTrailCreation(name, encrypted),
      subject: { type: AUDIT_CONTRACT_SUBJECT, id },
      ...(url !== undefined && { callback: { url, shape: 'wrapped-failure' } }),
    });
    await writer.run('UPDATE audit_contracts SET transaction_hash = ? WHERE id = ?', [transactionHash, id]);
  });
  return { result: { status: 'pending', message: 'Contract creation in progress' } };
};

/** Records where an audit contract stands, and tells its callback. */
export const settleAuditContract: SettledListener = async (writer, settled) => {
  const address = settled.status === 'success' ? settled.contractAddress : null;
  await writer.run(`UPDATE audit_contracts SET status = ?, address = ?, ${UPDATED_AT} WHERE id = ?`, [
    settled.status,
    address,
    settled.timestamp,
    settled.timestamp,
    settled.subject.id,
  ]);
  return address === null ? undefined : { contract_address: address };
};

/** Lists the audit contracts that stand, oldest first, in one answer. */
export const listAuditContracts: Handler = async ({ records }, { org }) => {
  const rows = await records.all<AuditContractRow>(
    `SELECT ${COLUMNS} FROM audit_contracts WHERE org = ? AND status = 'success' ORDER BY id`,
    [org],
  );
  return { result: rows.map(shown) };
};

/** One audit contract by address. */
export const auditContractDetail: Handler = async ({ records }, { org, params }) => {
  const row = await findAuditContract(records, org, checksummed(params['address']) ?? '');
  if (!row) throw notFound();
  return { result: shown(row) };
};

/** The audit contract of an organisation that stands at a checksummed address. */
export async function findAuditContract(
  reader: Reader,
  org: string,
  address: string,
): Promise<AuditContractRow | undefined> {
  const sql = `SELECT ${COLUMNS} FROM audit_contracts WHERE address = ? AND org = ? AND status = 'success'`;
  return reader.first<AuditContractRow>(sql, [address, org]);
}

function shown(row: AuditContractRow): JsonObject {
  const { address, transaction_hash, name } = row;
  return {
    contract_address: address,
    transactionHash: transaction_hash,
    contract_name: name,
    logo_path: null,
  };
}

async function systemWallet({ wallets }: Context, writer: Writer, org: string): Promise<string> {
  const [existing] = await wallets.list(writer, org, 'system');
  const wallet = existing ?? (await wallets.create(writer, { org, name: 'audit contracts', type: 'system' }));
  return wallet.address;
}
