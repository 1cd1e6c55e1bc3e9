import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/model/canonical.js';
import { recordCallback } from '../../src/execute/hear.js';
import { Recorder } from '../../src/execute/recorder.js';
import { LineageState } from '../../src/state/project.js';
import { lineage } from '../support/locked.js';
import { MemoryJournal } from '../support/releasing.js';
import { VirtualClock } from '../support/virtual-clock.js';

const STEP = 'category.a#1';
const HEARD = { via: 'callback', claim: 'unparsed', facts: {} } as const;

function recording(): {
  readonly recorder: Recorder;
  readonly journal: MemoryJournal;
  readonly told: string[];
} {
  const journal = new MemoryJournal();
  const told: string[] = [];
  const state = lineage({ open: { [STEP]: ['category.create', 'category.a'] } });
  const observe = ({ type }: { readonly type: string }): void => {
    told.push(type);
  };
  return { recorder: new Recorder({ state, journal, clock: new VirtualClock(), observe }), journal, told };
}

describe('recording', () => {
  test('folds an event at once, and tells it when it is durable', async () => {
    const { recorder, journal, told } = recording();
    const recorded = recorder.record({
      type: 'step-answered',
      step: STEP,
      outcome: 'accepted',
      ids: { id: 7 },
    });
    expect(recorder.state.attempts.get(STEP)?.answered?.outcome).toBe('accepted');
    expect(told).toEqual([]);
    await recorded;
    expect(journal.events).toMatchObject([{ type: 'step-answered', at: '2026-03-01T09:00:00.000Z' }]);
    expect(told).toEqual(['step-answered']);
  });

  test('tells nothing that is not durable, and nothing that follows from it', async () => {
    const { recorder, journal, told } = recording();
    journal.failsFrom = 1;
    const recorded = recorder.record({ type: 'step-answered', step: STEP, outcome: 'accepted' });
    recorder.tell({ type: 'run-planned', changes: 1, steps: 1 });
    await expect(recorded).rejects.toThrow('no space');
    await recorder.rest();
    recorder.tell({ type: 'run-planned', changes: 2, steps: 2 });
    expect(told).toEqual([]);
  });

  test('tells what follows from events after them, in the order of the calls', async () => {
    const { recorder, told } = recording();
    recorder.tell({ type: 'run-planned', changes: 1, steps: 1 });
    expect(told).toEqual(['run-planned']);
    recorder.note({ type: 'step-answered', step: STEP, outcome: 'accepted' });
    recorder.tell({ type: 'step-waiting', step: STEP, reason: '' });
    recorder.note({ type: 'step-evidenced', step: STEP, via: 'callback', claim: 'unparsed', facts: {} });
    recorder.tell({ type: 'run-planned', changes: 1, steps: 1 });
    await recorder.rest();
    expect(told.slice(1)).toEqual(['step-answered', 'step-waiting', 'step-evidenced', 'run-planned']);
  });

  test('tells what shares a sync when that is done, in the order of the calls', async () => {
    const { recorder, journal, told } = recording();
    const sync = Promise.resolve();
    journal.append = () => sync;
    recorder.note({ type: 'step-answered', step: STEP, outcome: 'accepted' });
    recorder.tell({ type: 'step-waiting', step: STEP, reason: '' });
    const recorded = recorder.record({ type: 'step-evidenced', step: STEP, ...HEARD });
    expect(told).toEqual([]);
    await recorded;
    expect(told).toEqual(['step-answered', 'step-waiting', 'step-evidenced']);
  });

  test('tells nothing of a sync that failed, and says so to whoever waits and to nobody twice', async () => {
    const { recorder, journal, told } = recording();
    const sync = Promise.reject(new Error('no space'));
    const broken: unknown[] = [];
    recorder.whenBroken((thrown) => broken.push(thrown));
    journal.append = () => sync;
    recorder.note({ type: 'step-answered', step: STEP, outcome: 'accepted' });
    const recorded = recorder.record({ type: 'step-evidenced', step: STEP, ...HEARD });
    await expect(recorded).rejects.toThrow('no space');
    await recorder.rest();
    expect(told).toEqual([]);
    expect(broken).toMatchObject([{ message: 'no space' }]);
  });

  test('says of a noted event that it cannot be kept', async () => {
    const { recorder, journal } = recording();
    const broken = new Promise<unknown>((resolve) => {
      recorder.whenBroken(resolve);
    });
    journal.failsFrom = 1;
    recorder.note({ type: 'step-answered', step: STEP, outcome: 'accepted' });
    expect(await broken).toMatchObject({ message: 'no space left on device' });
  });

  test('keeps the order of what is recorded at the same time', async () => {
    const { recorder, journal } = recording();
    const messages = ['1', '2', '3'];
    await Promise.all(
      messages.map((message) =>
        recorder.record({
          type: 'step-evidenced',
          step: STEP,
          via: 'callback',
          claim: 'unparsed',
          facts: { message },
        }),
      ),
    );
    expect(
      journal.events.map((event) => (event.type === 'step-evidenced' ? event.facts['message'] : '')),
    ).toEqual(messages);
    const { evidence } = recorder.state.attempts.get(STEP)!;
    expect(evidence.map(({ facts }) => facts['message'])).toEqual(messages);
  });
});

describe('what a step is proven by', () => {
  const confirmed = { type: 'step-settled', step: STEP, state: 'confirmed', grade: 'B' } as const;

  test('proves no other step of its kind', async () => {
    const { recorder } = recording();
    await recorder.record({ ...confirmed, outputs: { 'category.a': { id: 7, transaction: '0xAB' } } });
    for (const name of ['7', '0xab']) {
      expect(recorder.claims.isTaken('category', name, 'category.b#1')).toBe(true);
      expect(recorder.claims.isTaken('category', name, STEP)).toBe(false);
      expect(recorder.claims.isTaken('tag', name, 'tag.b#1')).toBe(false);
    }
    expect(recorder.claims.take('category.b#1', { 'category.b': { id: 7 } })).toBe(false);
  });

  test('is reserved by the first that finds it', () => {
    const { recorder } = recording();
    expect(recorder.claims.take('category.b#1', { 'category.b': { id: 7 } })).toBe(true);
    expect(recorder.claims.take('category.c#1', { 'category.c': { id: 7 } })).toBe(false);
    expect(recorder.claims.take('category.b#1', { 'category.b': { id: 7 } })).toBe(true);
  });

  test('is known after a restart, from lock and journal', async () => {
    const first = recording();
    await first.recorder.record({ ...confirmed, outputs: { 'category.a': { id: 7 } } });
    const locked = lineage({ locked: { 'wallet.bob': [{ name: 'bob' }, { address: '0x1' }] } });
    const target = { origin: 'local', client: digestOf('client') };
    const state = new LineageState([
      { type: 'lineage-started', at: '', version: 1, lineage: 'l', target },
      { type: 'resource-adopted', at: '', id: 'category.z', inputs: {}, outputs: { id: 9 }, grade: 'B' },
    ]);
    for (const [from, kind, name] of [
      [locked, 'wallet', '0x1'],
      [state, 'category', '9'],
    ] as const) {
      const parts = { journal: new MemoryJournal(), clock: new VirtualClock(), observe: () => undefined };
      const { claims } = new Recorder({ state: from, ...parts });
      expect(claims.isTaken(kind, name, 'category.b#1')).toBe(true);
    }
  });
});

describe('a callback', () => {
  const body = { status: 'success', transactionHash: '0x1' };

  test('is kept as evidence, a bounded number of times', async () => {
    const { recorder, journal } = recording();
    for (let turn = 0; turn < 40; turn += 1) await recordCallback(recorder, STEP, body);
    expect(recorder.state.attempts.get(STEP)?.evidence.length).toBeGreaterThan(1);
    expect(journal.events.length).toBeLessThan(20);
  });

  test('of success for a step that was settled as failed is a duplicate', async () => {
    const { recorder } = recording();
    await recorder.record({ type: 'step-settled', step: STEP, state: 'failed', grade: 'D', outputs: {} });
    await recordCallback(recorder, STEP, { status: 'failed' });
    expect(recorder.state.attempts.get(STEP)?.duplicates).toEqual([]);
    await recordCallback(recorder, STEP, body);
    expect(recorder.state.attempts.get(STEP)?.duplicates).toHaveLength(1);
  });

  test('for an attempt that the journal does not know changes nothing', async () => {
    const { recorder, journal } = recording();
    await recordCallback(recorder, 'category.other#1', body);
    expect(journal.events).toEqual([]);
  });
});
