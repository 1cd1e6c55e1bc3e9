import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResourceId, StepId } from '../../src/model/id.js';
import { barLine, runFrame } from '../../src/report/run-frame.js';
import { eventText, resultText } from '../../src/report/run-text.js';
import { advanceView, beginView, paceOf, type RunView } from '../../src/report/run-view.js';
import { cellsOf } from '../../src/report/width.js';
import type { Progress, StepEnd } from '../../src/execute/result.js';
import type { JournalEvent, StepIntended, StepSettled } from '../../src/state/event.js';
import { certificates, change, changeSet, HOSTILE } from './samples.js';

const start = Date.parse('2026-01-01T00:00:00.000Z');

function intended(id: ResourceId, seconds = 0): StepIntended {
  return {
    type: 'step-intended',
    at: new Date(start + seconds * 1000).toISOString(),
    step: `${id}#1` as StepId,
    resources: [id],
    operation: 'any',
    lane: 'x',
    token: 'sha256:00',
    request: 'sha256:00',
    before: null,
    inputs: {},
  };
}

function settled(id: ResourceId, seconds = 1, over: Partial<StepSettled> = {}): StepSettled {
  const at = new Date(start + seconds * 1000).toISOString();
  return { type: 'step-settled', at, step: `${id}#1`, state: 'confirmed', grade: 'B', outputs: {}, ...over };
}

function ended(id: ResourceId, end: StepEnd = 'confirmed', message?: string): Progress {
  return {
    type: 'step-ended',
    report: { id, resources: [id], end, step: `${id}#1`, ...(message !== undefined && { message }) },
  };
}

function after(view: RunView, events: readonly (JournalEvent | Progress)[], nowMs = start): RunView {
  return events.reduce((before, event) => advanceView(before, event, nowMs), view);
}

const plain = { colour: false };

describe('the view of a run', () => {
  const view = beginView(changeSet([change('tag.v1'), ...certificates(25)]).steps);

  it('counts what is done, in flight and left', () => {
    const now = after(view, [
      intended('tag.v1'),
      settled('tag.v1'),
      ended('tag.v1'),
      intended('certificate.class-of-2026[S-1001]'),
    ]);
    expect(now.counts.confirmed).toBe(1);
    expect([...now.inFlight.keys()]).toEqual(['certificate.class-of-2026[S-1001]#1']);
    expect(now.batches.get('class-of-2026')).toMatchObject({ total: 25, settled: 0, startedMs: start });
  });

  it('knows the rate of a batch and the time left', () => {
    const ids = certificates(10).map(({ id }) => id);
    const now = after(
      view,
      ids.flatMap((id) => [intended(id), settled(id, 5), ended(id)]),
    );
    const batch = now.batches.get('class-of-2026');
    expect(batch && paceOf(batch, start + 5000)).toEqual({ perSecond: 2, leftMs: 7500 });
    expect(
      batch && barLine(batch, { columns: 80, rows: 24, nowMs: start + 5000, colour: false }),
    ).toMatchInlineSnapshot(`"  class-of-2026 [############------------------] 10/25  2.0/s  7.5 s left"`);
  });

  it('fits every terminal, whatever the names and however much is in flight', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.constantFrom(...HOSTILE)), {
          maxLength: 60,
        }),
        fc.integer({ min: 24, max: 200 }),
        fc.integer({ min: 2, max: 60 }),
        (names, columns, rows) => {
          const rowIds = names.map(
            (name): ResourceId => `certificate.${name.replaceAll(/[[\]]/g, '') || 'x'}[1]`,
          );
          const all = [...names.map((name): ResourceId => `tag.${name}`), ...rowIds];
          const began = beginView(changeSet(all.map((id) => change(id))).steps);
          const frame = runFrame(
            after(
              began,
              all.map((id) => intended(id)),
            ),
            { columns, rows, nowMs: start + 90_000, colour: false },
          );
          expect(frame.length).toBeLessThan(rows);
          for (const line of frame) expect(cellsOf(line)).toBeLessThan(columns);
        },
      ),
    );
  });
});

describe('lines of a run', () => {
  it('say what was made, where, and how long it took', () => {
    const outputs = { 'contract.core.A': { address: '0xA' }, 'contract.core.B': { address: '0xB' } };
    expect(eventText(settled('deployment.core', 2.1, { outputs }), { ...plain, tookMs: 2100 }))
      .toMatchInlineSnapshot(`
      "done deployment.core#1 (2.1 s)
           contract.core.A at 0xA
           contract.core.B at 0xB"
    `);
    expect(
      eventText(settled('wallet.alice', 2.1, { outputs: { 'wallet.alice': { address: '0xC' } } }), plain),
    ).toBe('done wallet.alice#1 at 0xC');
  });

  it('leave certificates that went well to the bar, and name those that did not', () => {
    expect(eventText(settled('certificate.b[1]'), plain)).toBeUndefined();
    expect(eventText(ended('certificate.b[1]'), plain)).toBeUndefined();
    expect(eventText(ended('certificate.b[1]', 'failed', 'reverted:\n\u001bno'), plain)).toBe(
      'failed certificate.b[1]#1: reverted:\n     \\u{1B}no',
    );
    expect(eventText(ended('tag.a', 'skipped', 'tag.b failed'), plain)).toBe('not begun tag.a: tag.b failed');
    expect(eventText(ended('certificate.class[1]', 'skipped', 'stopped'), plain)).toBeUndefined();
  });

  it('count an attempt without effect as nothing when another follows', () => {
    const events = [intended('tag.v1'), settled('tag.v1', 1, { state: 'failed' })];
    expect(after(beginView([]), events).counts.failed).toBe(0);
  });

  it('show a reason of the service without its control characters', () => {
    const event: JournalEvent = {
      type: 'step-answered',
      at: '',
      step: 'tag.v1#1',
      outcome: 'rejected',
      status: 422,
      message: HOSTILE[0],
    };
    expect(eventText(event, plain)).toBe('notice tag.v1#1 was refused (422): \\u{1B}[2J\\u{1B}[31mowned');
  });

  it('end with an honest verdict', () => {
    const view = after(beginView(changeSet([change('tag.v1')]).steps), [
      intended('tag.v1'),
      settled('tag.v1', 1, { state: 'failed' }),
      ended('tag.v1', 'failed'),
    ]);
    expect(resultText('incomplete', { colour: false, view, tookMs: 61_000 })).toBe(
      'Incomplete: some steps failed or could not begin; run apply again to resume. 0 of 1 step done, 1 failed; 0 of 1 change made, in 1 min 01 s.',
    );
    expect(resultText('done', { colour: false, view: beginView([]), tookMs: 20 })).toBe(
      'Done. Nothing had to be sent.',
    );
  });
});
