import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContract, creation, fetched, onChain, PNG } from './certificate-samples.js';
import { at, listAt, textAt, wrongFields } from './client.js';
import { openService, type Service } from './service.js';

let service: Service;
let diplomas: string;

beforeAll(async () => {
  service = await openService();
  diplomas = await createContract(service);
});

afterAll(() => service.close());

describe('a certificate contract', () => {
  it('answers its transaction, and is confirmed under result with its address', async () => {
    const callback_url = service.receiver.url();
    const path = '/api/certificate/create-smartcontract';
    const { body } = await service.api.post(path, creation(service, { max_supply: 3 }, { callback_url }));
    const transactionHash = textAt(body, 'result.transactionHash');
    expect(at(body, 'result')).toEqual({ status: 'pending', transactionHash });
    const callback = await service.receiver.received(callback_url);
    expect(callback).toMatchObject({
      status: 200,
      result: { status: 'success', transactionHash, from: service.wallet(0), receipt: { status: true } },
    });
    const { read } = onChain(service, textAt(callback, 'result.contract_address'));
    expect([await read.name(), await read.symbol()]).toEqual(['Campus Diploma', 'DIP']);
    expect([await read.owner(), await read.maxSupply()]).toEqual([service.wallet(1), 3n]);
  });

  it('is an ERC-721 with metadata, ERC-165 and ERC-173', async () => {
    const { read } = onChain(service, diplomas);
    const ids = ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f', '0x7f5828d0', '0xffffffff'] as const;
    const supported = await Promise.all(ids.map((id) => read.supportsInterface([id])));
    expect(supported).toEqual([true, true, true, true, false]);
    await expect(read.ownerOf([10n ** 30n])).rejects.toThrow('no such token');
  });

  it('is listed with its logo, by its own organisation only', async () => {
    const callback_url = service.receiver.url();
    const image = `data:image/png;base64,${PNG.toString('base64')}`;
    const path = '/api/certificate/create-smartcontract';
    await service.api.post(path, creation(service, { symbol: 'LOGO' }, { image, callback_url }));
    const address = textAt(await service.receiver.received(callback_url), 'result.contract_address');
    const detail = await service.api.get(`/api/certificate/get-smart-contract/${address}`);
    expect(at(detail.body, 'result')).toMatchObject({
      contract_address: address,
      contract_name: 'diplomas',
      name: 'Campus Diploma',
      symbol: 'LOGO',
    });
    expect((await fetched(textAt(detail.body, 'result.logo'))).bytes).toEqual(PNG);
    const listed = await service.api.get('/api/certificate/get-smart-contract');
    expect(listAt(listed.body, 'result')).toContainEqual(at(detail.body, 'result'));
    expect(at(listed.body, 'pagination.per_page')).toBe(100);
    const foreign = await service.other.get(`/api/certificate/get-smart-contract/${address}`);
    expect(foreign.status).toBe(404);
    expect(at((await service.other.get('/api/certificate/get-smart-contract')).body, 'result')).toEqual([]);
  });

  it.each([
    [
      'an owner outside the organisation',
      { wallet_address_owner: `0x${'ab'.repeat(20)}` },
      'wallet_address_owner',
    ],
    ['a negative supply', { max_supply: -1 }, 'max_supply'],
    ['no supply', { max_supply: null }, 'max_supply'],
    ['no symbol', { symbol: '' }, 'symbol'],
  ])('is refused with %s', async (_, field, wrong) => {
    const answer = await service.api.post('/api/certificate/create-smartcontract', creation(service, field));
    expect(wrongFields(answer)).toEqual([`field.${wrong}`]);
  });

  it.each(['data:image/svg+xml;base64,PHN2Zy8+', 'http://127.0.0.1/logo.png', 7])(
    'is refused with %j as logo',
    async (image) => {
      const answer = await service.api.post(
        '/api/certificate/create-smartcontract',
        creation(service, {}, { image }),
      );
      expect(wrongFields(answer)).toEqual(['image']);
    },
  );
});
