import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PlatformClock } from '../../src/platform/clock.js';
import { at, listAt, textAt } from './client.js';
import { openReleases, type Releases } from './releases.js';
import { openService, serviceIn } from './service.js';
import { inFolder } from '../cli/command.js';

/** A clock over a base that only this test moves. */
function clockAt(start: number) {
  const base = { now: start };
  return { base, clock: new PlatformClock(() => base.now) };
}

describe('a clock', () => {
  it('stands still when frozen, goes on from there, and never back', async () => {
    const { base, clock } = clockAt(1000);
    clock.freeze();
    base.now = 5000;
    expect(clock.state()).toEqual({ now: 1000, ahead: -4000, frozen: true });
    clock.resume();
    base.now = 5500;
    expect(clock.now()).toBe(1500);
    await clock.advance(10_000);
    expect(clock.now()).toBe(10_000);
    await clock.advance(3000);
    expect(clock.now()).toBe(10_000);
    expect(new PlatformClock(() => base.now, clock.setting()).now()).toBe(10_000);
  });

  it('stops over at what is due on the way, in order, also at what that makes due', async () => {
    const { clock } = clockAt(0);
    const done: string[] = [];
    const first = clock.timer(async () => {
      done.push(`first ${String(clock.now())}`);
      if (clock.now() < 600) first.set(clock.now() + 300);
    });
    const second = clock.timer(async () => {
      done.push(`second ${String(clock.now())}`);
    });
    const never = clock.timer(async () => {
      done.push('never');
    });
    first.set(300);
    second.set(450);
    never.set(1001);
    await clock.advance(1000);
    expect(done).toEqual(['first 300', 'second 450', 'first 600']);
    never.set(undefined);
    await clock.advance(2000);
    expect(done).toHaveLength(3);
    expect(clock.state()).toEqual({ now: 2000, ahead: 2000, frozen: false });
  });

  it('goes on although what is due fails, and advances one after another', async () => {
    const { clock } = clockAt(0);
    clock.freeze();
    const failing = clock.timer(() => Promise.reject(new Error('no')));
    failing.set(10);
    await Promise.all([clock.advance(50), clock.advance(20), clock.advance(80)]);
    expect(clock.state()).toEqual({ now: 80, ahead: 80, frozen: true });
  });

  it('does not stop over for ever: what keeps coming due is left when it has been done often enough', async () => {
    const { clock } = clockAt(0);
    let times = 0;
    const busy = clock.timer(async () => {
      times += 1;
      busy.set(clock.now() + 1);
    });
    busy.set(1);
    await clock.advance(100_000);
    expect(clock.now()).toBe(100_000);
    expect(times).toBe(1001);
    busy.set(undefined);
  });

  it('fires by itself while it runs, and not while it is frozen', async () => {
    const clock = new PlatformClock(Date.now);
    const fired = new Promise<void>((resolve) => {
      const timer = clock.timer(async () => {
        resolve();
      });
      timer.set(clock.now() + 5);
    });
    await fired;
    let early = false;
    clock.freeze();
    const waiting = clock.timer(async () => {
      early = true;
    });
    waiting.set(clock.now());
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(early).toBe(false);
    clock.resume();
    await expect.poll(() => early).toBe(true);
  });
});

describe('the clock of a platform', { timeout: 60_000 }, () => {
  let releases: Releases | undefined;
  afterEach(async () => {
    await releases?.close();
    releases = undefined;
  });

  const turn = (change: object) => releases!.api.post('/_platform/clock', change as never);

  it('moves the pauses between callbacks: 0, 5, 10 and 15 minutes in one advance, each at its time', async () => {
    releases = await openReleases({ redelivery: 'four-times' });
    let posts = 0;
    const busy = createServer((incoming, outgoing) => {
      incoming.resume().on('end', () => {
        posts += 1;
        outgoing.writeHead(503).end();
      });
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const callback_url = `http://127.0.0.1:${String((busy.address() as AddressInfo).port)}/token`;
    expect((await turn({ freeze: true })).status).toBe(200);
    await releases.api.post('/api/audit/contracts', {
      name: 'T',
      field: { encrypt_data: false },
      callback_url,
    });
    const callback = async () => listAt((await releases!.api.get('/_platform/callbacks')).body, 'result')[0];
    await expect.poll(callback).toMatchObject({ attempts: 1, state: 'pending', last_result: '503' });
    await turn({ advance: '299s' });
    expect(posts).toBe(1);
    await turn({ advance: '1s' });
    expect(posts).toBe(2);
    await turn({ advance: '25m' });
    expect(posts).toBe(4);
    expect(await callback()).toMatchObject({ attempts: 4, state: 'given-up' });
    await turn({ advance: '1d' });
    expect(posts).toBe(4);
    busy.close();
  });

  it('is what records, blocks and rates go by, and the only way it goes is on', async () => {
    releases = await openReleases({ limits: { requestsPerMinute: 3 } });
    await turn({ freeze: true });
    const tag = async () => (await releases!.api.post('/api/audit/tag', { name: 'n' })).status;
    expect([await tag(), await tag(), await tag(), await tag()]).toEqual([200, 200, 200, 429]);
    const before = await turn({ set: '2080-01-01T00:00:00Z' });
    expect(before.status).toBe(422);
    const { body } = await turn({ advance: '20d' });
    const now = Date.parse(textAt(body, 'result.now'));
    const block = await releases.chain.getBlock();
    expect(Number(block.timestamp)).toBe(Math.floor(now / 1000));
    const made = await releases.api.post('/api/audit/tag', { name: 'later' });
    expect(made.status).toBe(200);
    const tags = listAt((await releases.api.get('/api/audit/tag')).body, 'result');
    const dates = tags.map((one) => Date.parse(textAt(one, 'created_at')));
    expect(Math.max(...dates)).toBe(now);
    for (const change of [
      {},
      { advance: '-1s' },
      { advance: 5 },
      { advance: '400d' },
      { set: 'yesterday' },
      { set: '2020-01-01T00:00:00Z' },
      { freeze: 'yes' },
      { freeze: true, advance: '1s' },
      { constructor: true },
      [],
    ])
      expect([change, (await turn(change)).status]).toEqual([change, 422]);
    expect((await releases.stranger.get('/_platform/clock')).status).toBe(404);
    expect((await releases.stranger.post('/_platform/clock', { freeze: true })).status).toBe(404);
  });

  it('stands as it stood after a restart, and the chain goes on', async () => {
    await inFolder(async (folder) => {
      const first = await serviceIn(folder);
      await first.api.post('/_platform/clock', { advance: '10d' });
      const ahead = Number(at((await first.api.get('/_platform/clock')).body, 'result.ahead_ms'));
      expect(ahead).toBeGreaterThan(863_000_000);
      const head = await first.chain.getBlock();
      await first.close();
      const second = await serviceIn(folder);
      expect(Number(at((await second.api.get('/_platform/clock')).body, 'result.ahead_ms'))).toBe(ahead);
      expect((await second.chain.getBlock()).hash).toBe(head.hash);
      const callback_url = second.receiver.url();
      await second.api.post('/api/audit/contracts', {
        name: 'T',
        field: { encrypt_data: false },
        callback_url,
      });
      await second.receiver.received(callback_url);
      expect((await second.chain.getBlock()).timestamp).toBeGreaterThanOrEqual(head.timestamp);
      await second.close();
    });
  });

  it('does not keep a platform that stops: answers that are slow come at once', async () => {
    const service = await openService();
    const rules = [{ request: { operation: 'audit.tag.create' }, fault: { slow: '10m' } }];
    await service.api.post('/_platform/faults', { windlass_faults: 1, rules });
    const slow = service.api.post('/api/audit/tag', { name: 'n' });
    await expect
      .poll(async () => listAt((await service.api.get('/api/audit/tag')).body, 'result').length)
      .toBe(1);
    await service.close();
    expect((await slow).status).toBe(200);
  });
});
