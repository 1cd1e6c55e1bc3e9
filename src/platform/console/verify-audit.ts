import { checksummed } from '../chain/signing.js';
import { isJsonObject, member, textMember, type Json } from '../../model/json.js';
import { matchesMetadata, BCRYPT_BYTES } from '../handlers/audit/metadata-hash.js';
import type { AuditRecordRow } from '../handlers/audit/tables.js';
import type { Context } from '../handlers/handler.js';
import { metadataDigestHex, recordedDigest } from '../contracts/audit-trail.js';
import { findRecord } from './audit.js';
import type { Query } from './query.js';
import type { AuditCheck, AuditVerdict } from './record-shapes.js';

/**
 * Recomputes everything that binds a record: the bcrypt hash over its metadata, the SHA-256 digest that its transaction
 * brought to the chain, and that transaction's receipt. Nothing is believed that the records say of the outcome.
 *
 * @throws ServiceError 404
 */
export async function verifyAudit(context: Context, { org, params }: Query): Promise<AuditVerdict> {
  const record = await findRecord(context.records, org, params['id']);
  const checks = [await hashCheck(record), ...(await chainChecks(context, record))];
  const isAltered = checks.some(({ outcome }) => outcome === 'mismatch');
  const isWhole = checks.every(({ outcome }) => outcome === 'match');
  return { verdict: isAltered ? 'altered' : isWhole ? 'intact' : 'unknown', checks };
}

async function hashCheck({ metadata, metadatahash }: AuditRecordRow): Promise<AuditCheck> {
  const matches = await matchesMetadata(metadata, metadatahash);
  const bytes = Buffer.byteLength(metadata);
  const covers =
    bytes > BCRYPT_BYTES ? `the first ${String(BCRYPT_BYTES)} of ${String(bytes)} bytes` : 'all of it';
  const text = `bcrypt of the metadata against metadatahash; covers ${covers}`;
  return {
    name: 'Hash of the record',
    outcome: matches ? 'match' : 'mismatch',
    text,
    recorded: metadatahash,
  };
}

async function chainChecks({ chain }: Context, record: AuditRecordRow): Promise<readonly AuditCheck[]> {
  const sent = await chain.request('eth_getTransactionByHash', [record.transaction_hash]);
  const receipt = await chain.request('eth_getTransactionReceipt', [record.transaction_hash]);
  return [digestCheck(record, sent), authorCheck(record, sent), receiptCheck(receipt)];
}

function digestCheck({ metadata }: AuditRecordRow, sent: Json): AuditCheck {
  const name = 'Digest on the chain';
  const text = 'SHA-256 of the metadata against the digest in the transaction; covers all of it';
  const recorded = recordedDigest(textMember(sent, 'input') ?? '');
  const recomputed = metadataDigestHex(metadata);
  if (recorded === undefined)
    return { name, outcome: 'unknown', text: 'The chain does not show the transaction.' };
  return { name, outcome: recorded === recomputed ? 'match' : 'mismatch', text, recorded, recomputed };
}

function authorCheck({ from_address, contract_address }: AuditRecordRow, sent: Json): AuditCheck {
  const name = 'Author and contract';
  const author = checksummed(member(sent, 'from'));
  const contract = checksummed(member(sent, 'to'));
  if (author === undefined)
    return { name, outcome: 'unknown', text: 'The chain does not show the transaction.' };
  const same = author === from_address && contract === contract_address;
  const text = 'Sender and receiver of the transaction against those of the record';
  const [recorded, recomputed] = [`${author} → ${contract ?? ''}`, `${from_address} → ${contract_address}`];
  return { name, outcome: same ? 'match' : 'mismatch', text, recorded, recomputed };
}

function receiptCheck(receipt: Json): AuditCheck {
  const name = 'Receipt';
  if (!isJsonObject(receipt)) return { name, outcome: 'unknown', text: 'It is not mined yet.' };
  const text = `The transaction took effect in block ${String(Number(receipt['blockNumber']))}`;
  return receipt['status'] === '0x1'
    ? { name, outcome: 'match', text }
    : { name, outcome: 'mismatch', text: 'The chain refused the transaction.' };
}
