import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { openLivePage, type LivePage } from '../../src/cli/live-page.js';

let open: LivePage | undefined;

afterEach(async () => {
  await open?.end();
  open = undefined;
});

async function serving(draw: () => string = () => '<p>page</p>'): Promise<LivePage> {
  open = await openLivePage(draw);
  return open;
}

/** Status of a GET with headers that `fetch` does not let one set. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('a live page is drawn anew for each request, on loopback, and kept nowhere', async () => {
  let draws = 0;
  const { url } = await serving(() => `<p>${(draws += 1)}</p>`);
  expect(new URL(url).hostname).toBe('127.0.0.1');
  expect(await (await fetch(url)).text()).toBe('<p>1</p>');
  const response = await fetch(url);
  expect(await response.text()).toBe('<p>2</p>');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});

test('a live page is found below its own path only, and under its own name only', async () => {
  const { url } = await serving();
  expect((await fetch(new URL('/', url))).status).toBe(404);
  expect((await fetch(`${url}../`)).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(403);
  expect(await statusOf(url, { host: 'evil.example' })).toBe(403);
  expect(new URL(url).pathname.length).toBeGreaterThan(20);
});

test('readers are told of changes and of the end, and then the server is gone', async () => {
  const live = await serving();
  const { url } = live;
  const response = await fetch(`${url}events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const told = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  const heard = async (word: string): Promise<void> => {
    for (let text = ''; !text.includes(word);) {
      const { value, done } = await told.next();
      if (done === true) throw new Error(`it ended before ${word}`);
      text += value;
    }
  };
  live.changed();
  live.changed();
  await heard('event: change');
  await Promise.all([live.end(), heard('event: end')]);
  open = undefined;
  await expect(fetch(url)).rejects.toThrow();
});
