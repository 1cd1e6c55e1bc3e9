import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, listAt, textAt, wrongFields } from './client.js';
import { createContract, image, minted, minting, onChain, PNG } from './certificate-samples.js';
import { openService, type Service } from './service.js';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const PATH = '/api/certificate/owner-transfer';

describe('handing over a certificate contract', () => {
  it('answers in its own envelope, and gives minting to the new owner once the chain has it', async () => {
    const contract_address = await createContract(service);
    const callback_url = service.receiver.url();
    const body = { wallet_address: service.wallet(1), to: service.wallet(3), contract_address };
    const answer = await service.api.post(PATH, { ...body, callback_url });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'success', result: { from: service.wallet(1), status: 1 } },
    });
    const callback = await service.receiver.received(callback_url);
    const hash = textAt(answer.body, 'result.transactionHash');
    expect(callback).toMatchObject({ status: 200, result: { status: 'success', transactionHash: hash } });
    expect(await onChain(service, contract_address).read.owner()).toBe(service.wallet(3));
    const form = minting(service, contract_address);
    const path = '/api/certificate/mint-certificate';
    expect(wrongFields(await service.api.form(path, form, image(PNG)))).toEqual(['wallet_address']);
    const { callback: after } = await minted(service, contract_address, {
      wallet_address: service.wallet(3),
    });
    expect(at(after, 'result.status')).toBe('success');
    expect(wrongFields(await service.api.post(PATH, body))).toEqual(['wallet_address']);
  });

  it('is refused for a receiver outside the organisation, which nobody could sign for', async () => {
    const contract_address = await createContract(service);
    const to = '0x00000000000000000000000000000000000000Aa';
    const answer = await service.api.post(PATH, { wallet_address: service.wallet(1), to, contract_address });
    expect(wrongFields(answer)).toEqual(['to']);
    const stranger = { wallet_address: service.wallet(1), to: service.wallet(2), contract_address };
    const fields = wrongFields(await service.other.post(PATH, stranger));
    expect(fields).toEqual(['wallet_address', 'to', 'contract_address']);
  });
});

describe('the transactions of a certificate contract', () => {
  it('list mints and transfers that a wallet took part in, with the time of their block', async () => {
    const contract_address = await createContract(service);
    const { result } = await minted(service, contract_address);
    const callback_url = service.receiver.url();
    await service.api.post('/api/certificate/transfer', {
      wallet_address: service.wallet(2),
      to: service.wallet(4),
      nft_id: String(result.nft_token_id),
      contract_address,
      callback_url,
    });
    await service.receiver.received(callback_url);
    const path = '/api/certificate/get-certificate-transaction';
    const query = { wallet_address: service.wallet(2), contract_address, filter: 'to|from' };
    const rows = listAt((await service.api.get(path, query)).body, 'result');
    expect(rows.map((row) => [row['method'], row['to']])).toEqual([
      ['mint', service.wallet(2)],
      ['transfer', service.wallet(4)],
    ]);
    const [first] = rows;
    const block = await service.chain.getBlock({ blockNumber: BigInt(Number(first?.['blockNumber'])) });
    expect(Date.parse(textAt(first!, 'timestamp'))).toBe(Number(block.timestamp) * 1000);
    expect(at(first!, 'token')).toMatchObject({ contract_address, symbol: 'DIP' });
    const failed = await service.api.get(path, { ...query, status: 'fail' });
    expect(at(failed.body, 'result')).toEqual([]);
    expect(at(failed.body, 'pagination')).toMatchObject({ per_page: 20, total: 0 });
    expect(wrongFields(await service.api.get(path))).toEqual([
      'wallet_address',
      'contract_address',
      'filter',
    ]);
  });
});

describe('a wallet', () => {
  it('is renamed, linked, deactivated and activated; deactivated it signs nothing', async () => {
    const made = await service.api.post('/api/wallet/wallet', { name: 'Office' });
    const address = textAt(made.body, 'result.address');
    const path = `/api/wallet/wallet/${address}`;
    const renamed = await service.api.put(path, { name: 'Registrar', entity_id: 7 });
    expect(at(renamed.body, 'result')).toMatchObject({ name: 'Registrar', entity_id: 7, is_active: 1 });
    expect(at((await service.api.put(`${path}/deactivate`)).body, 'result.is_active')).toBe(0);
    const creation = {
      wallet_address: address,
      name: 'x',
      field: { wallet_address_owner: address, max_supply: 0, name: 'X', symbol: 'X' },
    };
    const create = () => service.api.post('/api/certificate/create-smartcontract', creation);
    expect(wrongFields(await create())).toEqual(['wallet_address', 'field.wallet_address_owner']);
    expect(at((await service.api.put(`${path}/activate`)).body, 'result.is_active')).toBe(1);
    expect((await create()).status).toBe(200);
    expect((await service.other.put(path, { name: 'mine' })).status).toBe(404);
    expect((await service.other.put(`${path}/deactivate`)).status).toBe(404);
  });
});
