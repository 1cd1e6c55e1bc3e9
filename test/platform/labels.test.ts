import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, idAt, listAt, textAt, wrongFields } from './client.js';
import { openService, type Service } from './service.js';

let service: Service;
let trail: string;

beforeAll(async () => {
  service = await openService();
  const callback_url = service.receiver.url();
  const field = { encrypt_data: false };
  await service.api.post('/api/audit/contracts', { name: 'releases', field, callback_url });
  trail = textAt(await service.receiver.received(callback_url), 'contract_address');
});

afterAll(() => service.close());

async function made(path: string, name: string): Promise<string> {
  return idAt((await service.api.post(path, { name })).body, 'result.id');
}

const record = (fields: object) =>
  service.api.post('/api/audit/audit', {
    wallet_address: service.wallet(0),
    contract_address: trail,
    metadata: 'm',
    ...fields,
  });

describe.each(['category', 'tag'])('a %s', (kind) => {
  const path = `/api/audit/${kind}`;

  it('is read, renamed, deactivated and activated by its id, by its organisation only', async () => {
    const id = await made(path, 'draft');
    const shown = { id: Number(id), name: 'draft', is_active: 1, deleted_at: null };
    expect(at((await service.api.get(`${path}/${id}`)).body, 'result')).toMatchObject(shown);
    const renamed = await service.api.put(`${path}/${id}`, { name: 'final' });
    expect(at(renamed.body, 'result')).toMatchObject({ ...shown, name: 'final' });
    const off = await service.api.put(`${path}/${id}/deactivate`);
    expect(at(off.body, 'result.is_active')).toBe(0);
    expect(at((await service.api.put(`${path}/${id}/activate`)).body, 'result.is_active')).toBe(1);
    expect(wrongFields(await service.api.put(`${path}/${id}`, {}))).toEqual(['name']);
    for (const answer of [
      await service.other.get(`${path}/${id}`),
      await service.other.put(`${path}/${id}`, { name: 'x' }),
      await service.other.put(`${path}/${id}/deactivate`),
      await service.other.remove(`${path}/${id}`),
      await service.api.get(`${path}/abc`),
    ]) {
      expect(answer).toEqual({ status: 404, body: { message: 'Not Found' } });
    }
  });

  it('that is deactivated or deleted is for no new record, and stays on those that carry it', async () => {
    const id = await made(path, 'v1');
    const field = `${kind}_id`;
    const written = await record({ [field]: [Number(id)] });
    const hash = textAt(written.body, 'result.transactionHash');
    await service.api.put(`${path}/${id}/deactivate`);
    expect(wrongFields(await record({ [field]: [Number(id)] }))).toEqual([`${field}.0`]);
    await service.api.put(`${path}/${id}/activate`);
    expect(await service.api.remove(`${path}/${id}`)).toEqual({
      status: 200,
      body: { status: 200, result: 'Success' },
    });
    expect(wrongFields(await record({ [field]: [Number(id)] }))).toEqual([`${field}.0`]);
    expect((await service.api.remove(`${path}/${id}`)).status).toBe(404);
    const list = listAt((await service.api.get(path)).body, 'result');
    expect(list.map((one) => one['name'])).not.toContain('v1');
    const shown = await service.api.get(`/api/audit/audit/${hash}`);
    const labels = listAt(shown.body, `result.${kind === 'tag' ? 'tags' : 'categories'}`);
    expect(labels).toEqual([{ id: Number(id), name: 'v1' }]);
  });
});

describe('the labels of a record', () => {
  it('can be replaced, each kind by itself, and nothing else of the record can', async () => {
    const [first, second] = [await made('/api/audit/tag', 'a'), await made('/api/audit/tag', 'b')];
    const category = await made('/api/audit/category', 'c');
    const written = await record({ tag_id: [Number(first)], category_id: [Number(category)] });
    const hash = textAt(written.body, 'result.transactionHash');
    const before = (await service.api.get(`/api/audit/audit/${hash}`)).body;
    const path = `/api/audit/audit/${idAt(before, 'result.id')}`;
    const answer = await service.api.put(path, { tag_id: [Number(second)], metadata: 'changed' });
    expect(listAt(answer.body, 'result.tags').map((tag) => tag['name'])).toEqual(['b']);
    expect(listAt(answer.body, 'result.categories').map((one) => one['name'])).toEqual(['c']);
    expect(at(answer.body, 'result.metadata')).toBe('m');
    const found = await service.api.get('/api/audit/audit', { tag: second });
    expect(listAt(found.body, 'result').map((one) => one['transactionHash'])).toEqual([hash]);
    expect(listAt((await service.api.get('/api/audit/audit', { tag: first })).body, 'result')).toEqual([]);
    const cleared = await service.api.put(path, { tag_id: [] });
    expect(at(cleared.body, 'result.tags')).toEqual([]);
    expect(wrongFields(await service.api.put(path, { tag_id: [999_999] }))).toEqual(['tag_id.0']);
    expect((await service.other.put(path, { tag_id: [] })).status).toBe(404);
  });
});
