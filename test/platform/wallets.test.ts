import { isAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, listAt, textAt, wrongFields, type Client } from './client.js';
import { openService, type Service } from './service.js';

let service: Service;

beforeAll(async () => {
  service = await openService();
});

afterAll(() => service.close());

const ALICE = { name: 'Alice Tan', email: 'alice@example.com', ic: '900101-14-5678' };

describe('the wallet of a person', () => {
  it('answers its address, and shows none of the personal data again', async () => {
    const { status, body } = await service.api.post('/api/wallet/create-user', { ...ALICE, entity_id: 7 });
    expect(status).toBe(200);
    const address = textAt(body, 'result.wallet.wallet_address');
    expect(isAddress(address, { strict: true })).toBe(true);
    expect(at(body, 'result.wallet')).toEqual({
      wallet_id: expect.any(Number) as number,
      wallet_name: 'Alice Tan',
      wallet_address: address,
      wallet_type: 'user',
      is_active: 1,
      entity_id: 7,
      entity_category_id: null,
    });
    const read = await service.api.get(`/api/wallet/wallet/${address.toLowerCase()}`);
    expect(at(read.body, 'result')).toMatchObject({
      address,
      name: 'Alice Tan',
      wallet_type: 'end_user',
      is_active: 1,
      entity_id: 7,
    });
    expect(JSON.stringify([body, read.body])).not.toMatch(/alice@|900101/);
  });

  it('is a new one at every request, for every organisation its own', async () => {
    const addresses = await Promise.all(
      [service.api, service.api, service.other].map(async (client) =>
        textAt((await client.post('/api/wallet/create-user', ALICE)).body, 'result.wallet.wallet_address'),
      ),
    );
    expect(new Set(addresses).size).toBe(3);
    const foreign = await service.api.get(`/api/wallet/wallet/${String(addresses[2])}`);
    expect(foreign).toEqual(await service.api.get(`/api/wallet/wallet/0x${'12'.repeat(20)}`));
    expect(foreign.status).toBe(404);
  });

  it('needs name, e-mail address and identity number', async () => {
    expect(wrongFields(await service.api.post('/api/wallet/create-user', {}))).toEqual([
      'name',
      'email',
      'ic',
    ]);
    const answer = await service.api.post('/api/wallet/create-user', { ...ALICE, email: 'alice' });
    expect(wrongFields(answer)).toEqual(['email']);
  });
});

describe('the list of wallets', () => {
  it('comes in pages of 20, by type', async () => {
    for (let made = 0; made < 21; made += 1) await service.api.post('/api/wallet/create-user', ALICE);
    const people = await service.api.get('/api/wallet/wallet', { type: '2' });
    expect(listAt(people.body, 'result')).toHaveLength(20);
    expect(listAt(people.body, 'result').every((wallet) => wallet['wallet_type'] === 'end_user')).toBe(true);
    const total = Number(at(people.body, 'pagination.total'));
    const second = await service.api.get('/api/wallet/wallet', { type: '2', page: '2' });
    expect(listAt(second.body, 'result')).toHaveLength(total - 20);
    const own = await service.api.get('/api/wallet/wallet', { type: '1' });
    expect(listAt(own.body, 'result').map((wallet) => wallet['address'])).toContain(service.wallet(0));
  });

  it('refuses a type or page that is none', async () => {
    expect(wrongFields(await service.api.get('/api/wallet/wallet', { type: '3' }))).toEqual(['type']);
    expect(wrongFields(await service.api.get('/api/wallet/wallet', { page: '0' }))).toEqual(['page']);
  });

  it('does not show the wallet that deploys audit contracts', async () => {
    const before = await service.api.get('/api/wallet/wallet');
    await service.api.post('/api/audit/contracts', { name: 'a', field: { encrypt_data: true } });
    const after = await service.api.get('/api/wallet/wallet');
    expect(at(after.body, 'pagination.total')).toBe(at(before.body, 'pagination.total'));
  });
});

describe('an organisation wallet', () => {
  it('can be created, and signs', async () => {
    const { body } = await service.api.post('/api/wallet/wallet', { name: 'registrar' });
    expect(at(body, 'result')).toMatchObject({
      name: 'registrar',
      wallet_type: 'organisation',
      is_active: 1,
    });
    const created = await service.api.post('/api/certificate/create-smartcontract', {
      wallet_address: textAt(body, 'result.address'),
      name: 'x',
      field: {
        wallet_address_owner: textAt(body, 'result.address'),
        max_supply: 0,
        name: 'X',
        symbol: 'X',
      },
    });
    expect(created.status).toBe(200);
  });

  it('is refused beyond the limit of the platform, for each organisation by itself', async () => {
    const limited = await openService({ maxOrganisationWallets: 11 });
    const statusOf = async (client: Client) =>
      (await client.post('/api/wallet/wallet', { name: 'one more' })).status;
    expect([await statusOf(limited.api), await statusOf(limited.api)]).toEqual([200, 422]);
    expect(await statusOf(limited.other)).toBe(200);
    await limited.close();
  });
});
