import type { Json } from '../../../model/json.js';
import type { SettledListener, Submitted } from '../../chain/transactions.js';
import { auditTrailRecord } from '../../contracts/audit-trail.js';
import type { Reader, Writer } from '../../state/records.js';
import { searchText } from '../../state/search-text.js';
import { timestampOf, UPDATED_AT } from '../../state/timestamp.js';
import { insert } from '../../state/insert.js';
import { callbackUrl } from '../callback-url.js';
import { custodialAddress } from '../custody.js';
import { Fields, isUnsafeText, jsonText } from '../fields.js';
import type { Context, Handler } from '../handler.js';
import { searchedMetadata } from './envelope.js';
import { findAuditContract } from './contracts.js';
import { usableLabels, type LabelKind } from './labels.js';
import { hashMetadata } from './metadata-hash.js';

/** Subject type of the transactions that write records. */
export const AUDIT_RECORD_SUBJECT = 'audit-record';

/** Most bytes of a record's metadata: what a MySQL TEXT column holds, and well below what one transaction carries. */
const MAX_METADATA_BYTES = 65_535;

interface RecordRequest {
  readonly signer: string;
  readonly contract: string;
  readonly encrypted: boolean;
  readonly metadata: string;
  readonly categories: readonly number[];
  readonly tags: readonly number[];
  readonly url: string | undefined;
}

/** Writes an audit record: hashes the metadata, signs with the named wallet, answers before the chain does. */
export const createAuditRecord: Handler = async (context, { org, body, respelled = [] }) => {
  const request = await recordRequest(context, org, { fields: new Fields(body), respelled });
  const metadatahash = await hashMetadata(request.metadata, context.settings.bcryptCost);
  const { transactionHash, nonce, from } = await context.records.transact((writer) =>
    write(context, writer, { ...request, org, metadatahash }),
  );
  const { metadata } = request;
  return { result: { transactionHash, nonce, status: 'pending', metadatahash, metadata, from } };
};

/** Records how the writing of a record ended. */
export const settleAuditRecord: SettledListener = async (writer, settled) => {
  const { status, receipt, timestamp, subject } = settled;
  const block = receipt?.blockNumber ?? null;
  await writer.run(
    `UPDATE audit_records SET status = ?, block_number = ?, mined_at = ?, ${UPDATED_AT} WHERE id = ?`,
    [status, block, block === null ? null : timestamp, timestamp, timestamp, subject.id],
  );
  return undefined;
};

async function recordRequest(
  context: Context,
  org: string,
  { fields, respelled }: { readonly fields: Fields; readonly respelled: readonly string[] },
): Promise<RecordRequest> {
  const reader = context.records;
  const signer = await custodialAddress(context, { reader, org }, fields, 'wallet_address');
  const address = fields.address('contract_address');
  const metadata = metadataText(fields, respelled);
  const categories = await labelIds(reader, org, fields, 'category');
  const tags = await labelIds(reader, org, fields, 'tag');
  const url = callbackUrl(context, fields);
  const contract = address === '' ? undefined : await findAuditContract(reader, org, address);
  if (!contract && address !== '') fields.unknown('contract_address');
  fields.check();
  return { signer, contract: address, encrypted: contract?.encrypted !== 0, metadata, categories, tags, url };
}

/** The metadata as text: a string as it is, anything else as its JSON, when that is how it was written. */
function metadataText(fields: Fields, respelled: readonly string[]): string {
  const value: Json | undefined = fields.value('metadata');
  const text = typeof value === 'string' || value === undefined ? value : jsonText(value);
  if (value === undefined) fields.fault('metadata', 'is required.');
  else if (text === undefined) fields.fault('metadata', 'is nested too deeply.');
  else if (typeof value !== 'string' && respelled.some((place) => /^metadata(\.|$)/.test(place)))
    fields.fault('metadata', 'must be a string: as JSON it would not be kept as it is written.');
  else if (isUnsafeText(text))
    fields.fault('metadata', 'must not contain null characters or broken Unicode.');
  else if (Buffer.byteLength(text) > MAX_METADATA_BYTES) {
    fields.fault('metadata', `must not be greater than ${String(MAX_METADATA_BYTES)} bytes.`);
  }
  return text ?? '';
}

/** Ids of labels that a record may carry from now on; notes those that it may not. */
export async function labelIds(
  reader: Reader,
  org: string,
  fields: Fields,
  kind: LabelKind,
): Promise<readonly number[]> {
  const name = `${kind}_id`;
  const ids = fields.ids(name);
  if (ids.length === 0) return ids;
  const known = await usableLabels(reader, kind, org);
  ids.forEach((id, at) => {
    if (!known.has(id)) fields.unknown(`${name}.${String(at)}`);
  });
  return ids;
}

async function write(
  context: Context,
  writer: Writer,
  record: RecordRequest & { readonly org: string; readonly metadatahash: string },
): Promise<Submitted> {
  const { org, signer, contract, metadata, metadatahash, categories, tags, url } = record;
  const time = timestampOf(context.now());
  await context.quotas.take(writer, org, 'storedBytes', Buffer.byteLength(metadata));
  const id = await insert(
    writer,
    `INSERT INTO audit_records (org, contract_address, from_address, search, metadata, metadatahash, category_ids,
      tag_ids, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
    [
      org,
      contract,
      signer,
      searchText(searchedMetadata(metadata)),
      metadata,
      metadatahash,
      JSON.stringify(categories),
      JSON.stringify(tags),
      time,
      time,
    ],
  );
  const submitted = await context.transactions.submit(writer, {
    org,
    from: signer,
    to: contract,
    data: auditTrailRecord(metadata, record.encrypted),
    subject: { type: AUDIT_RECORD_SUBJECT, id },
    ...(url !== undefined && { callback: { url, shape: 'wrapped-failure' } }),
  });
  await writer.run('UPDATE audit_records SET transaction_hash = ?, nonce = ? WHERE id = ?', [
    submitted.transactionHash,
    submitted.nonce,
    id,
  ]);
  await label(writer, id, { category: categories, tag: tags });
  return submitted;
}

/** Records which labels a record carries. */
export async function label(
  writer: Writer,
  record: number,
  labels: Readonly<Record<LabelKind, readonly number[]>>,
): Promise<void> {
  for (const kind of ['category', 'tag'] as const) {
    for (const id of labels[kind]) {
      await writer.run('INSERT INTO audit_record_labels (kind, label_id, record_id) VALUES (?, ?, ?)', [
        kind,
        id,
        record,
      ]);
    }
  }
}
