import { checksummed } from '../chain/signing.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../../model/json.js';
import { MARKER_TRAIT, STEP_KEY } from '../../protocol/endpoint.js';
import { notFound, type Context } from '../handlers/handler.js';
import { given, readList } from './list.js';
import type { Query } from './query.js';
import type {
  CertificateContract,
  CertificateItem,
  CertificateMove,
  ShownCertificate,
} from './record-shapes.js';
import type { ListPage } from './shapes.js';

/** The mint stands for the certificate: there is one, whatever became of it. */
const FROM = `FROM certificate_transactions t JOIN certificate_contracts c ON c.id = t.contract_id
  JOIN certificates k ON k.contract_id = t.contract_id AND k.token_id = t.token_id WHERE t.is_mint = 1 AND t.org = ?`;

const COLUMNS = `c.address AS contract_address, c.symbol, t.token_id, t.status, t.created_at, k.name, k.metadata_path,
  k.image_path, c.nickname, t.contract_id`;

interface Row {
  readonly contract_address: string;
  readonly symbol: string;
  readonly token_id: number;
  readonly status: CertificateItem['status'];
  readonly created_at: string;
  readonly name: string;
  readonly metadata_path: string;
  readonly image_path: string;
  readonly nickname: string;
  readonly contract_id: number;
}

/** What browsers show as a picture. */
const PICTURE = /\.(png|jpe?g|gif|webp|svg)$/;

/** Certificate contracts that stand, oldest first. */
export function listCertificateContracts(
  { records }: Context,
  { org }: Query,
): Promise<readonly CertificateContract[]> {
  const sql = `SELECT address, nickname, name, symbol, minted, max_supply FROM certificate_contracts
    WHERE org = ? AND status = 'success' ORDER BY id`;
  return records.all<CertificateContract>(sql, [org]);
}

/** Certificates, newest first; `contract` and `status` filter them. */
export async function listCertificates(
  { records }: Context,
  { org, query }: Query,
): Promise<ListPage<CertificateItem>> {
  const filter = given([
    ['t.status = ?', query['status']],
    ['c.address = ?', query['contract'] && (checksummed(query['contract']) ?? 'none')],
  ]);
  const list = { columns: COLUMNS, from: FROM + filter.sql, args: [org, ...filter.args], order: 't.id' };
  const page = await readList<Row>(records, list, query);
  return { ...page, items: page.items.map(itemOf) };
}

/** One certificate. @throws ServiceError 404 */
export async function showCertificate(
  { records, files }: Context,
  { org, params }: Query,
): Promise<ShownCertificate> {
  const { contract = '', token = '' } = params;
  if (!/^\d{1,15}$/.test(token)) throw notFound();
  const sql = `SELECT ${COLUMNS} ${FROM} AND c.address = ? AND t.token_id = ?`;
  const row = await records.first<Row>(sql, [org, checksummed(contract) ?? '', Number(token)]);
  if (!row) throw notFound();
  const moves = await records.all<Omit<CertificateMove, 'kind'> & { readonly is_mint: number }>(
    `SELECT is_mint, from_wallet AS "from", to_wallet AS "to", status, transaction_hash, created_at
     FROM certificate_transactions WHERE org = ? AND contract_id = ? AND token_id = ? ORDER BY id`,
    [org, row.contract_id, row.token_id],
  );
  const document = await documentOf(files, row);
  const { plan_key, attributes } = attributesOf(document);
  return {
    ...itemOf(row),
    contract: row.nickname,
    description: textMember(document, 'description') ?? '',
    plan_key,
    attributes,
    image: row.image_path,
    document: row.metadata_path,
    owner: moves.filter(({ status }) => status === 'success').at(-1)?.to ?? null,
    moves: moves.map(({ is_mint, ...move }) => ({ kind: is_mint === 1 ? 'mint' : 'transfer', ...move })),
  };
}

function itemOf(row: Row): CertificateItem {
  const { contract_address, symbol, token_id, status, created_at, name, image_path } = row;
  const picture = PICTURE.test(image_path) ? image_path : null;
  return { contract_address, symbol, token_id, status, created_at, name, picture };
}

/** The author's attributes, and apart from them the key that Windlass added to find the certificate by. */
function attributesOf(document: JsonObject): Pick<ShownCertificate, 'plan_key' | 'attributes'> {
  const given = member(document, 'attributes');
  const all = Array.isArray(given) ? (given as readonly Json[]).filter(isJsonObject) : [];
  const keyOf = (attribute: JsonObject): string | undefined => {
    const isMarker = (attribute['trait'] ?? attribute['trait_type']) === MARKER_TRAIT;
    const value = isMarker ? textMember(attribute, 'value') : undefined;
    return value !== undefined && STEP_KEY.test(value) ? value : undefined;
  };
  // The marker is the last: whatever stands before it is the author's, by the same name too.
  const last = all.at(-1);
  const plan_key = (last && keyOf(last)) ?? null;
  return { plan_key, attributes: plan_key === null ? all : all.slice(0, -1) };
}

/** The metadata document of a certificate; empty when it cannot be read. */
async function documentOf(files: Context['files'], { metadata_path }: Row): Promise<JsonObject> {
  try {
    const parsed = JSON.parse(Buffer.from(await files.read(metadata_path)).toString()) as Json;
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
