import { certificateHolder, certificateTransfer, decodeHolder } from '../../contracts/certificate.js';
import { callbackUrl } from '../callback-url.js';
import { custodialAddress } from '../custody.js';
import { Fields } from '../fields.js';
import { invalid, type Call, type Context, type Handler } from '../handler.js';
import { namedContract } from './contracts.js';
import { moveResult, sendMove, type Move } from './moves.js';
import type { CertificateContractRow } from './tables.js';

interface CertificateRow {
  readonly metadata_path: string;
  readonly image_path: string;
}

/** Moves a certificate that `wallet_address` holds on the chain to another address. */
export const transferCertificate: Handler = async (context, call) => {
  const { move, certificate } = await readRequest(context, call);
  const submitted = await context.records.transact((writer) => sendMove(context, writer, move));
  const paths = { metadata: certificate.metadata_path, image: certificate.image_path };
  return { result: moveResult(context, move, submitted, paths) };
};

async function readRequest(
  context: Context,
  { org, body }: Call,
): Promise<{ readonly move: Move; readonly certificate: CertificateRow }> {
  const fields = new Fields(body);
  const reader = context.records;
  const from = await custodialAddress(context, { reader, org }, fields, 'wallet_address');
  const to = fields.address('to');
  const tokenId = fields.integer('nft_id');
  const contract = await namedContract(reader, org, fields);
  const url = callbackUrl(context, fields);
  const certificate = contract && (await findCertificate(context, contract, tokenId));
  if (contract && !certificate) fields.unknown('nft_id');
  fields.check();
  if (!contract || !certificate) throw invalid({});
  await checkHolder(context, contract, { tokenId, from });
  const data = certificateTransfer(from, to, tokenId);
  return { move: { org, contract, tokenId, isMint: false, from, to, data, url }, certificate };
}

async function findCertificate(
  { records }: Context,
  contract: CertificateContractRow,
  tokenId: number,
): Promise<CertificateRow | undefined> {
  const sql = 'SELECT metadata_path, image_path FROM certificates WHERE contract_id = ? AND token_id = ?';
  return records.first<CertificateRow>(sql, [contract.id, tokenId]);
}

/** The chain knows who holds a token: holders outside the platform move theirs without asking it. */
async function checkHolder(
  { chain }: Context,
  contract: CertificateContractRow,
  { tokenId, from }: Pick<Move, 'tokenId' | 'from'>,
): Promise<void> {
  const holder = await chain.call({ to: contract.address, data: certificateHolder(tokenId) });
  if (!holder.ok) throw invalid({ nft_id: ['This certificate is not minted.'] });
  if (decodeHolder(holder.data) !== from.toLowerCase()) {
    throw invalid({ wallet_address: ['The wallet does not hold this certificate.'] });
  }
}
