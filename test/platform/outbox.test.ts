import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUOTA_TABLES } from '../../src/platform/admission/quotas.js';
import { PlatformClock } from '../../src/platform/clock.js';
import { CALLBACK_TABLES } from '../../src/platform/delivery/callback-rows.js';
import { Outbox } from '../../src/platform/delivery/outbox.js';
import { openFaultLog } from '../../src/platform/faults/fault-log.js';
import { Faults } from '../../src/platform/faults/faults.js';
import { FAULT_TABLES, ruleKeeper } from '../../src/platform/faults/kept-rules.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';

let folder: string;
let undo: (() => Promise<unknown>)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outbox-'));
  undo = [() => rm(folder, { recursive: true })];
});
afterEach(async () => {
  for (const step of undo.toReversed()) await step();
});

/** A receiver that tells of each request before it answers with these statuses in turn, then with 200. */
async function openFlaky({ answers = [] as number[], told = (): void => undefined } = {}) {
  let received = 0;
  const server = createServer((asked, answer) => {
    asked.resume().on('end', () => {
      received += 1;
      told();
      answer.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(async () => {
    server.close().closeAllConnections();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/token`;
  return { url, received: () => received };
}

/** Records whose answers can be held back, as those of a database far away come late. */
function slowed(records: Records) {
  let held: { readonly kind: 'all' | 'first'; readonly until: Promise<void> } | undefined;
  let answer = (): void => undefined;
  let waiting = 0;
  let full = false;
  let refused = 0;
  const late = async <Answer>(kind: 'all' | 'first', question: Promise<Answer>): Promise<Answer> => {
    // The question is answered as of now, however late the answer comes.
    const given = await question;
    if (held?.kind !== kind) return given;
    waiting += 1;
    await held.until;
    waiting -= 1;
    return given;
  };
  const slow: Records = {
    all: (...question) => late('all', records.all(...question)),
    first: (...question) => late('first', records.first(...question)),
    transact: async (work) => {
      if (!full) return records.transact(work);
      refused += 1;
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    },
    lost: records.lost,
    expunge: (table) => records.expunge(table),
    close: () => records.close(),
  };
  const hold = (kind: 'all' | 'first') => (): void => {
    held = { kind, until: new Promise((resolve) => (answer = resolve)) };
  };
  const fill = (isFull: boolean) => void (full = isFull);
  return { slow, hold, waiting: () => waiting, answer: () => answer(), fill, refused: () => refused };
}

async function openOutbox(inFlight?: { readonly total: number; readonly perOrganisation: number }) {
  const records = openRecords(join(folder, 'records.db'), [QUOTA_TABLES, CALLBACK_TABLES, FAULT_TABLES]);
  const { slow, ...answers } = slowed(records);
  const clock = new PlatformClock(() => 1_700_000_000_000);
  const log = openFaultLog(join(folder, 'faults.jsonl'));
  const parts = { keeper: ruleKeeper(records), now: clock.now, draw: () => 1, operator: 'org-1' };
  const faults = new Faults({ log, ...parts });
  const targets = { reach: 'loopback' } as const;
  const common = { redelivery: 'until-acknowledged', targets, clock, faults } as const;
  const outbox = new Outbox(slow, { ...common, ...(inFlight && { inFlight }) });
  undo.push(
    () => records.close(),
    async () => {
      faults.close();
    },
    () => outbox.stop(),
  );
  undo.push(async () => {
    answers.answer();
  });
  const callback = { org: 'org-1', body: { status: 'success' }, subject: 'audit-1' };
  const enqueue = (url: string, org = callback.org): Promise<void> =>
    records.transact((writer) => outbox.enqueue(writer, { ...callback, org, url }));
  return { outbox, clock, records, enqueue, ...answers };
}

describe('an outbox over slow records', () => {
  it.each(['all', 'first'] as const)('posts what is recorded while it looks (%s)', async (kind) => {
    const { outbox, enqueue, hold, waiting, answer } = await openOutbox();
    const { url, received } = await openFlaky();
    hold(kind)();
    outbox.start();
    await expect.poll(waiting).toBe(1);
    await enqueue(url);
    answer();
    await expect.poll(received).toBe(1);
  });

  it('posts what becomes due while it looks', async () => {
    const { outbox, clock, enqueue, hold, waiting, answer } = await openOutbox();
    const { url, received } = await openFlaky({ answers: [500], told: hold('all') });
    outbox.start();
    await enqueue(url);
    await expect.poll(received).toBe(1);
    await expect.poll(waiting).toBe(1);
    await clock.advance(clock.now() + 2000);
    answer();
    await expect.poll(received).toBe(2);
  });
});

describe('an outbox whose records take nothing, as on a full disk', () => {
  it('posts nothing that it cannot record, and everything once there is room again', async () => {
    const { outbox, enqueue, fill, refused } = await openOutbox();
    const { url, received } = await openFlaky();
    await enqueue(url);
    fill(true);
    outbox.start();
    await expect.poll(refused, { timeout: 10_000 }).toBeGreaterThan(1);
    expect(received()).toBe(0);
    fill(false);
    outbox.wake();
    await expect.poll(received).toBe(1);
    await expect.poll(async () => (await outbox.list('org-1'))[0]?.state).toBe('delivered');
  }, 20_000);

  it('posts once what it can record no answer of, and records the answer as soon as there is room', async () => {
    const { outbox, enqueue, fill, refused } = await openOutbox();
    const { url, received } = await openFlaky({ told: () => fill(true) });
    outbox.start();
    await enqueue(url);
    await expect.poll(received).toBe(1);
    await expect.poll(refused, { timeout: 10_000 }).toBeGreaterThan(2);
    expect(received()).toBe(1);
    fill(false);
    await expect
      .poll(async () => (await outbox.list('org-1'))[0]?.state, { timeout: 10_000 })
      .toBe('delivered');
    expect((await outbox.list('org-1'))[0]).toMatchObject({ attempts: 1, last_result: '200' });
    expect(received()).toBe(1);
  }, 30_000);

  it('posts again, as the same attempt, what a crash left on its way', async () => {
    const { outbox, records, enqueue } = await openOutbox();
    const { url, received } = await openFlaky();
    await enqueue(url);
    const claimed = `UPDATE callbacks SET attempts = 1, due = 9999999999999, last_result = 'sending'`;
    await records.transact((writer) => writer.run(claimed));
    outbox.start();
    await expect.poll(received).toBe(1);
    await expect
      .poll(async () => (await outbox.list('org-1'))[0])
      .toMatchObject({ state: 'delivered', attempts: 1 });
  });
});

describe('an outbox of many organisations', () => {
  it('lets the receivers of one, which never answer, take no more than its own places', async () => {
    const { outbox, enqueue } = await openOutbox({ total: 4, perOrganisation: 2 });
    let silent = 0;
    const tarpit = createServer(() => void (silent += 1));
    await new Promise<void>((resolve) => tarpit.listen(0, '127.0.0.1', resolve));
    undo.push(async () => tarpit.close().closeAllConnections());
    const { url, received } = await openFlaky();
    const stuck = `http://127.0.0.1:${String((tarpit.address() as AddressInfo).port)}/token`;
    for (let count = 0; count < 20; count += 1) await enqueue(stuck, 'org-1');
    for (let count = 0; count < 5; count += 1) await enqueue(url, 'org-2');
    outbox.start();
    await expect.poll(received).toBe(5);
    expect(silent).toBeLessThanOrEqual(2);
  });
});
