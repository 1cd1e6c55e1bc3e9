import { isJsonObject, type Json } from '../../../model/json.js';
import { MARKER_TRAIT, type MINT_TIERS } from '../../../protocol/endpoint.js';
import { tooLarge } from '../../admission/refusals.js';
import { certificateMint } from '../../contracts/certificate.js';
import { searchText } from '../../state/search-text.js';
import type { Writer } from '../../state/records.js';
import { callbackUrl } from '../callback-url.js';
import { custodialAddress } from '../custody.js';
import { Fields, jsonText } from '../fields.js';
import {
  invalid,
  ServiceError,
  type Call,
  type Context,
  type Handler,
  type UploadedFile,
} from '../handler.js';
import { namedContract } from './contracts.js';
import { attributesOf, certificateDocument } from './document.js';
import { imageKind, MEBIBYTE, type ImageKind } from './image.js';
import { moveResult, sendMove } from './moves.js';
import type { PutFile } from '../../files/files.js';
import type { CertificateContractRow } from './tables.js';

/** Most characters of a description and of the attributes' JSON. */
const MAX_TEXT = 65_535;

interface MintRequest {
  readonly org: string;
  readonly contract: CertificateContractRow;
  readonly to: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Json[];
  readonly url: string | undefined;
  readonly image: UploadedFile & { readonly kind: ImageKind };
}

interface MintFiles {
  readonly image: PutFile;
  readonly metadata: PutFile;
}

/** Mints a certificate with an image of at most so many MB; the token's id is promised before the chain confirms it. */
export function mint({ megabytes }: Pick<(typeof MINT_TIERS)[number], 'megabytes'>): Handler {
  return async (context, call) => {
    const request = await readRequest(context, call, megabytes * MEBIBYTE);
    const put = await putFiles(context, request);
    const paths = { image: put.image.path, metadata: put.metadata.path };
    const uri = context.files.url(paths.metadata);
    const { org, contract, to, url } = request;
    const { tokenId, submitted } = await context.records.transact(async (writer) => {
      const tokenId = await nextTokenId(writer, contract);
      await context.files.keep(writer, put.image);
      await context.files.keep(writer, put.metadata);
      await writer.run(
        'INSERT INTO certificates (contract_id, token_id, metadata_path, image_path, name, search) VALUES (?, ?, ?, ?, ?, ?)',
        [contract.id, tokenId, paths.metadata, paths.image, request.name, searchedText(request, tokenId)],
      );
      const data = certificateMint(to, tokenId, uri);
      const from = contract.owner;
      const submitted = await sendMove(context, writer, {
        org,
        contract,
        tokenId,
        isMint: true,
        from,
        to,
        data,
        url,
      });
      return { tokenId, submitted };
    });
    return { result: moveResult(context, { org, tokenId, to }, submitted, paths) };
  };
}

async function readRequest(context: Context, call: Call, maxBytes: number): Promise<MintRequest> {
  const { org } = call;
  const fields = new Fields(call.body);
  const reader = context.records;
  const file = call.files.find(({ field }) => field === 'file');
  if (file && file.bytes.length > maxBytes) throw tooLarge('file', maxBytes);
  const signer = await custodialAddress(context, { reader, org }, fields, 'wallet_address');
  const contract = await namedContract(reader, org, fields);
  if (contract && signer !== '' && contract.owner !== signer) {
    fields.fault('wallet_address', 'must be the owner of the contract.');
  }
  const to = fields.address('to');
  const name = fields.text('name');
  const description = fields.text('description', MAX_TEXT);
  const attributes = readAttributes(fields);
  checkTexts(fields);
  const url = callbackUrl(context, fields);
  const kind = readImage(fields, file);
  fields.check();
  if (!contract || !file || !kind) throw invalid({});
  if (isFull(contract)) throw supplyReached();
  return { org, contract, to, name, description, attributes, url, image: { ...file, kind } };
}

/** Forms are decoded before they come here: what was no UTF-8 is another text by now. */
function checkTexts(fields: Fields): void {
  for (const field of ['name', 'description', 'attributes']) {
    const text = fields.value(field);
    if (typeof text === 'string' && text.includes('\uFFFD')) fields.fault(field, 'must be UTF-8.');
  }
}

function readAttributes(fields: Fields): readonly Json[] {
  const value = fields.value('attributes');
  const attributes = attributesOf(value);
  const text = attributes && jsonText(attributes);
  if (!attributes || text === undefined)
    fields.fault(
      'attributes',
      'must be a JSON array that is kept as it is written: long numbers as text, no member twice.',
    );
  else if (text.length > MAX_TEXT)
    fields.fault('attributes', `must not be greater than ${String(MAX_TEXT)} characters.`);
  return attributes ?? [];
}

function readImage(fields: Fields, file: UploadedFile | undefined): ImageKind | undefined {
  if (!file || file.bytes.length === 0) {
    fields.fault('file', 'is required.');
    return undefined;
  }
  const kind = imageKind(file.bytes);
  if (!kind) fields.fault('file', 'must be a file of type: png, jpeg, gif, webp, pdf.');
  return kind;
}

/** What a certificate is found by: its name, symbol and id, and the values of its attributes, the plan's key first. */
function searchedText({ contract, name, attributes }: MintRequest, tokenId: number): string {
  const pairs = attributes.filter(isJsonObject).map(({ trait, trait_type: type, value }) => ({
    isKey: (trait ?? type) === MARKER_TRAIT,
    text: typeof value === 'string' ? value : JSON.stringify(value ?? ''),
  }));
  const values = [...pairs.filter(({ isKey }) => isKey), ...pairs.filter(({ isKey }) => !isKey)];
  return searchText([name, `${contract.symbol} ${tokenId}`, ...values.map(({ text }) => text)]);
}

async function putFiles({ files }: Context, request: MintRequest): Promise<MintFiles> {
  const { org, image, name, description, attributes } = request;
  const imageName = `image.${image.kind.extension}`;
  const picture = await files.put({
    org,
    name: imageName,
    contentType: image.kind.contentType,
    bytes: image.bytes,
  });
  const document = certificateDocument({ name, description, attributes, image: files.url(picture.path) });
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(document)));
  const metadata = await files.put({ org, name: 'certificate.json', contentType: 'application/json', bytes });
  return { image: picture, metadata };
}

/** Allocates ids in order of arrival, from 1; the id of a mint that fails later is not used again. */
async function nextTokenId(writer: Writer, contract: CertificateContractRow): Promise<number> {
  const row = await writer.first<{ last_token_id: number }>(
    `UPDATE certificate_contracts SET last_token_id = last_token_id + 1
     WHERE id = ? AND (max_supply = 0 OR minted < max_supply) RETURNING last_token_id`,
    [contract.id],
  );
  if (!row) throw supplyReached();
  return row.last_token_id;
}

function isFull({ max_supply, minted }: CertificateContractRow): boolean {
  return max_supply > 0 && minted >= max_supply;
}

function supplyReached(): ServiceError {
  return invalid({ contract_address: ['The maximum supply of this contract is reached.'] });
}
