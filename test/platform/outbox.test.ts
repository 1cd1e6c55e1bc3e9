import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformClock } from '../../src/platform/clock.js';
import { CALLBACK_TABLES, Outbox } from '../../src/platform/delivery/outbox.js';
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
    transact: (work) => records.transact(work),
    lost: records.lost,
    expunge: (table) => records.expunge(table),
    close: () => records.close(),
  };
  const hold = (kind: 'all' | 'first') => (): void => {
    held = { kind, until: new Promise((resolve) => (answer = resolve)) };
  };
  return { slow, hold, waiting: () => waiting, answer: () => answer() };
}

async function openOutbox() {
  const records = openRecords(join(folder, 'records.db'), [CALLBACK_TABLES, FAULT_TABLES]);
  const { slow, ...answers } = slowed(records);
  const clock = new PlatformClock(() => 1_700_000_000_000);
  const log = openFaultLog(join(folder, 'faults.jsonl'));
  const parts = { keeper: ruleKeeper(records), now: clock.now, draw: () => 1, operator: 'org-1' };
  const faults = new Faults({ log, ...parts });
  const targets = { reach: 'loopback' } as const;
  const outbox = new Outbox(slow, { redelivery: 'until-acknowledged', targets, clock, faults });
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
  const enqueue = (url: string): Promise<void> =>
    records.transact((writer) => outbox.enqueue(writer, { ...callback, url }));
  return { outbox, clock, enqueue, ...answers };
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
