import { checksummed } from '../../chain/signing.js';
import type { Json, JsonObject } from '../../../model/json.js';
import type { SettledListener } from '../../chain/transactions.js';
import { certificateCreation } from '../../contracts/certificate.js';
import type { Reader } from '../../state/records.js';
import { timestampOf, UPDATED_AT } from '../../state/timestamp.js';
import { insert } from '../../state/insert.js';
import { callbackUrl } from '../callback-url.js';
import { custodialAddress } from '../custody.js';
import { Fields } from '../fields.js';
import { notFound, type Context, type Handler } from '../handler.js';
import { pageOf, paginationOf } from '../page.js';
import { imageKind, MEBIBYTE } from './image.js';
import { CONTRACT_COLUMNS, type CertificateContractRow } from './tables.js';

/** Subject type of the transactions that create certificate contracts. */
export const CERTIFICATE_CONTRACT_SUBJECT = 'certificate-contract';

const PER_PAGE = 100;

/** Most bytes of a contract's logo (half a megabyte). */
const MAX_LOGO_BYTES = MEBIBYTE / 2;

interface Logo {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly name: string;
}

/** Creates a certificate contract: deployed by `wallet_address`, minted from by `field.wallet_address_owner` only. */
export const createCertificateContract: Handler = async (context, { org, body }) => {
  const fields = new Fields(body);
  const owner = { reader: context.records, org };
  const deployer = await custodialAddress(context, owner, fields, 'wallet_address');
  const nickname = fields.text('name');
  const inner = fields.nested('field');
  const terms = {
    name: inner.text('name'),
    symbol: inner.text('symbol'),
    owner: await custodialAddress(context, owner, inner, 'wallet_address_owner'),
    maxSupply: inner.integer('max_supply'),
  };
  const logo = readLogo(fields);
  const url = callbackUrl(context, fields);
  fields.check();
  const kept = logo && (await context.files.put({ org, ...logo }));
  const time = timestampOf(context.now());
  const transactionHash = await context.records.transact(async (writer) => {
    const id = await insert(
      writer,
      `INSERT INTO certificate_contracts (org, nickname, name, symbol, owner, max_supply, logo_path, last_token_id,
        minted, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 'pending', ?, ?)`,
      [org, nickname, terms.name, terms.symbol, terms.owner, terms.maxSupply, kept?.path ?? null, time, time],
    );
    const submitted = await context.transactions.submit(writer, {
      org,
      from: deployer,
      to: null,
      data: certificateCreation(terms),
      subject: { type: CERTIFICATE_CONTRACT_SUBJECT, id },
      ...(url !== undefined && { callback: { url, shape: 'wrapped' } }),
    });
    const sql = 'UPDATE certificate_contracts SET transaction_hash = ? WHERE id = ?';
    await writer.run(sql, [submitted.transactionHash, id]);
    if (kept) await context.files.keep(writer, kept);
    return submitted.transactionHash;
  });
  return { result: { status: 'pending', transactionHash } };
};

/** Records where a certificate contract stands, and tells its callback. */
export const settleCertificateContract: SettledListener = async (writer, settled) => {
  const address = settled.status === 'success' ? settled.contractAddress : null;
  await writer.run(`UPDATE certificate_contracts SET status = ?, address = ?, ${UPDATED_AT} WHERE id = ?`, [
    settled.status,
    address,
    settled.timestamp,
    settled.timestamp,
    settled.subject.id,
  ]);
  return address === null ? undefined : { contract_address: address };
};

/** Lists the certificate contracts that stand, oldest first, 100 a page. */
export const listCertificateContracts: Handler = async (context, { org, query }) => {
  const page = pageOf(query, PER_PAGE);
  const standing = `FROM certificate_contracts WHERE org = ? AND status = 'success'`;
  const counted = await context.records.first<{ total: number }>(`SELECT count(*) AS total ${standing}`, [
    org,
  ]);
  const rows = await context.records.all<CertificateContractRow>(
    `SELECT ${CONTRACT_COLUMNS} ${standing} ORDER BY id LIMIT ? OFFSET ?`,
    [org, page.size, page.offset],
  );
  const url = `${context.settings.publicUrl}/api/certificate/get-smart-contract`;
  return {
    result: rows.map((row) => shown(context, row)),
    pagination: paginationOf(page, counted?.total ?? 0, url),
  };
};

/** One certificate contract by address. */
export const certificateContractDetail: Handler = async (context, { org, params }) => {
  const address = checksummed(params['address']) ?? '';
  const row = await findCertificateContract(context.records, org, address);
  if (!row) throw notFound();
  return { result: shown(context, row) };
};

/** The certificate contract of an organisation that stands at a checksummed address. */
async function findCertificateContract(
  reader: Reader,
  org: string,
  address: string,
): Promise<CertificateContractRow | undefined> {
  return reader.first<CertificateContractRow>(
    `SELECT ${CONTRACT_COLUMNS} FROM certificate_contracts WHERE address = ? AND org = ? AND status = 'success'`,
    [address, org],
  );
}

/** The contract that a write names; notes a mistake when there is none for this organisation. */
export async function namedContract(
  reader: Reader,
  org: string,
  fields: Fields,
): Promise<CertificateContractRow | undefined> {
  const address = fields.address('contract_address');
  if (address === '') return undefined;
  const contract = await findCertificateContract(reader, org, address);
  if (!contract) fields.unknown('contract_address');
  return contract;
}

function shown({ files }: Context, row: CertificateContractRow): JsonObject {
  return {
    contract_address: row.address,
    transactionHash: row.transaction_hash,
    contract_name: row.nickname,
    logo: row.logo_path === null ? null : files.url(row.logo_path),
    name: row.name,
    symbol: row.symbol,
  };
}

function readLogo(fields: Fields): Logo | undefined {
  const value: Json | undefined = fields.value('image');
  if (value === undefined) return undefined;
  const match = typeof value === 'string' ? /^data:[\w.+/-]*;base64,([\w+/=]+)$/.exec(value) : null;
  const bytes = new Uint8Array(Buffer.from(match?.[1] ?? '', 'base64'));
  const kind = imageKind(bytes);
  if (bytes.length > MAX_LOGO_BYTES)
    fields.fault('image', `must not be greater than ${String(MAX_LOGO_BYTES)} bytes.`);
  if (kind?.contentType.startsWith('image/') === true) {
    return { bytes, contentType: kind.contentType, name: `logo.${kind.extension}` };
  }
  fields.fault('image', 'must be a base64 data URI of a png, jpeg, gif or webp image.');
  return undefined;
}
