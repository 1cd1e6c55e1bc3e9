import { request } from 'undici';
import { getContract, type Address } from 'viem';
import type { JsonObject } from '../../src/model/json.js';
import { CERTIFICATE } from '../../src/platform/contracts/certificate.artifact.js';
import type { CertificateWrite } from '../../src/protocol/shapes.js';
import { at, textAt, type Answer } from './client.js';
import type { Service } from './service.js';

/** The smallest PNG: one pixel. */
export const PNG: Buffer = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

type Form = Readonly<Record<string, string>>;

/** Body of a request for a certificate contract that wallet 0 deploys and wallet 1 owns. */
export function creation(service: Service, field: JsonObject = {}, fields: JsonObject = {}): JsonObject {
  const owner = service.wallet(1);
  return {
    wallet_address: service.wallet(0),
    name: 'diplomas',
    field: { wallet_address_owner: owner, max_supply: 0, name: 'Campus Diploma', symbol: 'DIP', ...field },
    ...fields,
  };
}

/** Creates a certificate contract, waits for its callback, and gives its address. */
export async function createContract(service: Service, field: JsonObject = {}): Promise<string> {
  const callback_url = service.receiver.url();
  const path = '/api/certificate/create-smartcontract';
  await service.api.post(path, creation(service, field, { callback_url }));
  return textAt(await service.receiver.received(callback_url), 'result.contract_address');
}

/** Fields of a request that mints to wallet 2. */
export function minting(service: Service, contract_address: string, fields: Form = {}): Form {
  return {
    wallet_address: service.wallet(1),
    to: service.wallet(2),
    contract_address,
    name: 'Diploma of Alice Tan',
    description: 'Chemistry, class of 2026',
    attributes: '[{"trait":"Programme","value":"Chemistry"}]',
    ...fields,
  };
}

/** Mints with the smallest image, waits for the callback, and gives both answers. */
export async function minted(
  service: Service,
  contract_address: string,
  fields: Form = {},
): Promise<{ readonly result: CertificateWrite; readonly callback: JsonObject }> {
  const callback_url = service.receiver.url();
  const form = minting(service, contract_address, { callback_url, ...fields });
  const answer = await service.api.form('/api/certificate/mint-certificate', form, image(PNG));
  return { result: resultOf(answer), callback: await service.receiver.received(callback_url) };
}

/** A form file with these bytes. */
export function image(bytes: Buffer): { readonly filename: string; readonly bytes: Buffer } {
  return { filename: 'diploma.png', bytes };
}

function resultOf(answer: Answer): CertificateWrite {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return at(answer.body, 'result') as unknown as CertificateWrite;
}

/** The contract as an independent client sees it. */
export function onChain(service: Service, address: string) {
  return getContract({ address: address as Address, abi: CERTIFICATE.abi, client: service.chain });
}

/** What a URL serves. */
export async function fetched(url: string): Promise<{ readonly headers: unknown; readonly bytes: Buffer }> {
  const response = await request(url);
  if (response.statusCode !== 200) throw new Error(`${url} answered ${String(response.statusCode)}`);
  return { headers: response.headers, bytes: Buffer.from(await response.body.arrayBuffer()) };
}
