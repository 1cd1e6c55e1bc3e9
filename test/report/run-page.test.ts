import { describe, expect, it } from 'vitest';
import type { PlannedStep } from '../../src/model/change.js';
import type { ResourceId, StepId } from '../../src/model/id.js';
import { doubtsOf } from '../../src/report/doubt.js';
import { runPageHtml, type RunPageOptions } from '../../src/report/run-page-html.js';
import { lastRunTimeline } from '../../src/report/run-timeline.js';
import type { JournalEvent, RunEnded, StepSettled } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import { HOSTILE } from './samples.js';

const begin = Date.parse('2026-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(begin + seconds * 1000).toISOString();
const DIGEST = 'sha256:00' as const;

function intended(step: StepId, seconds: number): JournalEvent {
  const id = step.slice(0, step.lastIndexOf('#')) as ResourceId;
  const token = `sha256:${step}` as const;
  const rest = { operation: 'tag.create', lane: 'x', token, request: DIGEST, before: null, inputs: {} };
  return { type: 'step-intended', at: at(seconds), step, resources: [id], ...rest };
}

function answered(step: StepId, seconds: number): JournalEvent {
  return { type: 'step-answered', at: at(seconds), step, outcome: 'accepted', ids: {} };
}

function settled(step: StepId, seconds: number, over: Partial<StepSettled> = {}): JournalEvent {
  const outputs = { [step.slice(0, step.lastIndexOf('#'))]: {} };
  return { type: 'step-settled', at: at(seconds), step, state: 'confirmed', grade: 'A', outputs, ...over };
}

function started(run: string, seconds: number): JournalEvent {
  return { type: 'run-started', at: at(seconds), run, plan: DIGEST, changeSet: DIGEST, engine: '0' };
}

function ended(run: string, seconds: number, result: RunEnded['result']): JournalEvent {
  return { type: 'run-ended', at: at(seconds), run, result };
}

function lineage(...events: readonly JournalEvent[]): LineageState {
  const target = { origin: 'local', client: DIGEST };
  return new LineageState([
    { type: 'lineage-started', at: at(0), version: 1, lineage: 'l', target },
    ...events,
  ]);
}

const TOKEN: StepId = 'contract.core.Token#1';
const FAILED: StepId = 'tag.v1#1';
const DOUBTFUL: StepId = 'tag.v2#1';
const HASH = `0x${'ab'.repeat(32)}`;

const MIXED = lineage(
  started('r0', 0),
  intended('tag.before#1', 1),
  settled('tag.before#1', 2),
  ended('r0', 3, 'done'),
  started('r1', 10),
  intended(TOKEN, 11),
  answered(TOKEN, 12),
  {
    type: 'step-evidenced',
    at: at(13),
    step: TOKEN,
    via: 'callback',
    claim: 'success',
    facts: { receipts: [{ transactionHash: HASH, blockNumber: 42 }] },
  },
  settled(TOKEN, 14, { outputs: { 'contract.core.Token': { address: '0xA', transaction: HASH } } }),
  intended(FAILED, 14),
  settled(FAILED, 15, { state: 'failed', message: 'HTTP 422: no\nsecond line', outputs: {} }),
  intended(DOUBTFUL, 15),
  settled(DOUBTFUL, 16, { state: 'undecided', message: 'no read shows it', outputs: {} }),
  intended('certificate.class[1]#1', 16),
  settled('certificate.class[1]#1', 18),
  intended('certificate.class[2]#1', 17),
  settled('certificate.class[2]#1', 19),
  ended('r1', 20, 'undecided'),
);

const STEPS: readonly PlannedStep[] = (
  ['contract.core.Token', 'certificate.class[2]', 'certificate.class[3]', 'tag.v3'] as const
).map((id) => ({ id, resources: [id], operation: 'x', dependsOn: [], lane: 'x' }));

function page(state: LineageState, over: Partial<RunPageOptions> = {}, steps = STEPS): string {
  return runPageHtml(lastRunTimeline(state, steps), {
    title: 'campus on test',
    nowMs: begin + 30_000,
    resume: 'windlass apply --env test',
    doubts: doubtsOf(state, { environment: 'test' }),
    ...over,
  });
}

describe('the time line of a run', () => {
  const line = lastRunTimeline(MIXED, STEPS);

  it('is that of the last run only', () => {
    expect(line?.run.started.run).toBe('r1');
    expect(line?.rows.map(({ label }) => label)).toEqual([
      'contract.core.Token',
      'tag.v1',
      'tag.v2',
      'certificate.class',
    ]);
    expect(lastRunTimeline(lineage())).toBeUndefined();
  });

  it('has a bar per attempt: sent, answered, proven', () => {
    expect(line?.rows[0]?.bars).toEqual([
      {
        step: TOKEN,
        state: 'confirmed',
        sentMs: begin + 11_000,
        answeredMs: begin + 12_000,
        settledMs: begin + 14_000,
      },
    ]);
    const again = lineage(
      started('r', 0),
      intended(FAILED, 1),
      settled(FAILED, 2, { state: 'failed', outputs: {} }),
      intended('tag.v1#2', 3),
      settled('tag.v1#2', 4),
    );
    expect(lastRunTimeline(again)).toMatchObject({
      rows: [{ state: 'confirmed', bars: [{ step: FAILED }, { step: 'tag.v1#2' }] }],
      troubles: [],
      counts: { confirmed: 1, failed: 0 },
    });
  });

  it('draws a batch as one bar from its first to its last row', () => {
    expect(line?.rows[3]).toMatchObject({
      count: 2,
      bars: [{ sentMs: begin + 16_000, settledMs: begin + 19_000 }],
    });
  });

  it('takes block numbers from what was heard', () => {
    expect(line?.receipts[0]).toEqual({
      id: 'contract.core.Token',
      address: '0xA',
      transaction: HASH,
      block: 42,
      grade: 'A',
    });
  });

  it('knows what was not begun', () => {
    expect(line?.waiting).toEqual(['certificate.class[3]', 'tag.v3']);
  });
});

describe('the page of a run', () => {
  it('shows what went wrong before everything else, with the command that goes on', () => {
    const html = page(MIXED);
    const places = [
      'What went wrong',
      'HTTP 422: no',
      'How to go on',
      'windlass apply --env test',
      'Time line',
      'Receipts',
    ];
    const found = places.map((text) => html.indexOf(text));
    expect(found).not.toContain(-1);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(html).toContain('windlass resolve');
  });

  it('names no way to go on with a run that is done', () => {
    const html = page(
      lineage(started('r', 0), intended('tag.a#1', 1), settled('tag.a#1', 2), ended('r', 3, 'done')),
    );
    expect(html).not.toContain('How to go on');
    expect(html).not.toContain('What went wrong');
    expect(html).toContain('>Done<');
  });

  it('lets no bar run on when the run has ended', () => {
    const line = lastRunTimeline(
      lineage(started('r', 0), intended('tag.a#1', 1), ended('r', 3, 'interrupted')),
    );
    expect(line).toMatchObject({ endedMs: begin + 3000, counts: { open: 1 } });
    expect(page(lineage(started('r', 0), intended('tag.a#1', 1), ended('r', 3, 'interrupted')))).toContain(
      '3.0 s in all',
    );
  });

  it('loads nothing and runs nothing, unless it is live: then one script that its policy names', () => {
    expect(page(MIXED)).not.toMatch(/<script|src=| style=|http-equiv="refresh"/);
    const live = page(MIXED, { script: 'start()' });
    expect(live).toContain('<script>start()</script>');
    expect(live).toMatch(/script-src 'sha256-[^']+'; connect-src 'self'/);
    expect(live).toContain('<noscript><meta http-equiv="refresh"');
  });

  it('shows names and messages as text, whatever they are', () => {
    for (const name of HOSTILE) {
      const step: StepId = `tag.${name.replaceAll('#', '')}#1`;
      const message = name;
      const state = lineage(
        started('r', 0),
        intended(step, 1),
        settled(step, 2, { state: 'failed', message, outputs: {} }),
      );
      const html = page(state, { title: name, resume: name }, []);
      expect(html).not.toMatch(/<\/script>|<img|<!-- windlass|[^\P{Cc}\n]|\p{Cf}/u);
    }
  });

  it('stays small for a large batch', () => {
    const events = Array.from({ length: 5000 }, (_, index): JournalEvent[] => [
      intended(`certificate.class[${index}]#1`, 1),
      settled(`certificate.class[${index}]#1`, 2),
    ]).flat();
    expect(page(lineage(started('r', 0), ...events)).length).toBeLessThan(400_000);
  });

  it('says so when nothing was applied yet', () => {
    expect(runPageHtml(undefined, { title: 'x', nowMs: 0, resume: '', doubts: [] })).toContain(
      'Nothing was applied',
    );
  });
});
