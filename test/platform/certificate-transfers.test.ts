import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { createContract, minted, onChain } from './certificate-samples.js';
import { at, listAt, textAt, wrongFields, type Answer } from './client.js';
import { openService, type Service } from './service.js';

let service: Service;
let diplomas: string;

beforeAll(async () => {
  service = await openService();
  diplomas = await createContract(service);
});

afterAll(() => service.close());

describe('a transfer', () => {
  async function transfer(fields: JsonObject): Promise<Answer> {
    return service.api.post('/api/certificate/transfer', { contract_address: diplomas, ...fields });
  }

  it.each([String, Number])('takes the id as text or number, and moves the token', async (spelling) => {
    const { result } = await minted(service, diplomas, { to: service.wallet(5) });
    const id = result.nft_token_id;
    const callback_url = service.receiver.url();
    const answer = await transfer({
      wallet_address: service.wallet(5),
      to: service.wallet(6),
      nft_id: spelling(id),
      callback_url,
    });
    const { certificate, certificate_image } = result;
    expect(at(answer.body, 'result')).toMatchObject({
      nft_token_id: id,
      receiver_wallet_address: service.wallet(6),
      certificate,
      certificate_image,
      status: 'pending',
    });
    const transactionHash = textAt(answer.body, 'result.transactionHash');
    expect(await service.receiver.received(callback_url)).toMatchObject({
      status: 200,
      result: { status: 'success', from: service.wallet(5), transactionHash },
    });
    expect(await onChain(service, diplomas).read.ownerOf([BigInt(id)])).toBe(service.wallet(6));
    const query = { tx_id: transactionHash, from: service.wallet(5) };
    const listed = await service.api.get('/api/certificate/get-certificate', query);
    expect(listAt(listed.body, 'result')).toMatchObject([{ is_mint: 0, to_wallet: service.wallet(6) }]);
  });

  it('is refused to a wallet that does not hold the token, even one that held it', async () => {
    const { result } = await minted(service, diplomas, { to: service.wallet(7) });
    const nft_id = String(result.nft_token_id);
    const stranger = await transfer({ wallet_address: service.wallet(0), to: service.wallet(6), nft_id });
    expect(wrongFields(stranger)).toEqual(['wallet_address']);
    const callback_url = service.receiver.url();
    const move = { wallet_address: service.wallet(7), to: service.wallet(6), nft_id };
    await transfer({ ...move, callback_url });
    await service.receiver.received(callback_url);
    expect(wrongFields(await transfer(move))).toEqual(['wallet_address']);
  });

  it('is refused for a token that was never minted, or whose minting failed', async () => {
    const move = { wallet_address: service.wallet(5), to: service.wallet(6) };
    expect(wrongFields(await transfer({ ...move, nft_id: '999999' }))).toEqual(['nft_id']);
    expect(wrongFields(await transfer({ ...move, nft_id: '1e3' }))).toEqual(['nft_id']);
    const { result } = await minted(service, diplomas, { to: diplomas });
    expect(wrongFields(await transfer({ ...move, nft_id: String(result.nft_token_id) }))).toEqual(['nft_id']);
  });

  it('is refused to other organisations as if nothing existed', async () => {
    const { result } = await minted(service, diplomas);
    const body = {
      wallet_address: service.wallet(2),
      to: service.wallet(6),
      nft_id: String(result.nft_token_id),
      contract_address: diplomas,
    };
    const answer = await service.other.post('/api/certificate/transfer', body);
    expect(wrongFields(answer)).toEqual(['wallet_address', 'contract_address']);
  });
});

describe('the list of certificates', () => {
  it('comes whole, or in pages when a page is asked for', async () => {
    const whole = listAt((await service.api.get('/api/certificate/get-certificate')).body, 'result');
    const paged = await service.api.get('/api/certificate/get-certificate', { page: '1' });
    expect(at(paged.body, 'pagination.total')).toBe(whole.length);
    expect(listAt(paged.body, 'result')).toEqual(whole.slice(0, 100));
  });

  it('refuses a status or address that is none', async () => {
    const path = '/api/certificate/get-certificate';
    expect(wrongFields(await service.api.get(path, { status: 'maybe' }))).toEqual(['status']);
    expect(wrongFields(await service.api.get(path, { to: '0x12' }))).toEqual(['to']);
  });
});
