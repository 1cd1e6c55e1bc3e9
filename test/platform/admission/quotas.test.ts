import { afterEach, describe, expect, it } from 'vitest';
import { openReleases, type Releases } from '../releases.js';

let releases: Releases | undefined;
afterEach(async () => {
  await releases?.close();
  releases = undefined;
});

/** What a refusal says of a quota. */
function quota(name: string, limit: number) {
  return { code: 'quota_exceeded', quota: name, limit };
}

describe('a quota that is used up', () => {
  it('is told by its name and size, and ends when something is given up', async () => {
    releases = await openReleases({ limits: { callbacksWaiting: 2 } });
    const { api, stranger, receiver } = releases;
    const nowhere = 'http://127.0.0.1:9/nobody';
    const trail = (callback_url: string) => ({ name: 'T', field: { encrypt_data: false }, callback_url });
    for (let count = 0; count < 2; count += 1)
      expect((await api.post('/api/audit/contracts', trail(nowhere))).status).toBe(200);
    const refused = async () => api.post('/api/audit/tag', { name: 'n' });
    await expect.poll(refused).toMatchObject({ status: 429, body: quota('callbacksWaiting', 2) });
    expect((await stranger.post('/api/audit/contracts', trail(receiver.url()))).status).toBe(200);
    expect((await api.get('/api/audit/tag')).status).toBe(200);
  });
});
