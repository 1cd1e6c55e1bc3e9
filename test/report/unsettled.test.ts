import { describe, expect, it } from 'vitest';
import type { StepId } from '../../src/model/id.js';
import { unsettledSteps } from '../../src/diff/unsettled.js';
import { changeSetHtml } from '../../src/report/change-set-html.js';
import { changeSetJson } from '../../src/report/change-set-json.js';
import { changeSetMarkdown } from '../../src/report/change-set-markdown.js';
import { changeSetText } from '../../src/report/change-set-text.js';
import { doubtsOf } from '../../src/report/doubt.js';
import { runPageHtml } from '../../src/report/run-page-html.js';
import { lastRunTimeline } from '../../src/report/run-timeline.js';
import type { JournalEvent, StepSettled } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import { change, changeSet, HOSTILE } from './samples.js';

const AT = '2026-01-01T00:00:00.000Z';
const DIGEST = 'sha256:00' as const;

function sent(name: string): JournalEvent {
  const rest = { operation: 'tag.create', lane: 'x', request: DIGEST, before: null, inputs: {} };
  const token = `sha256:${name}` as const;
  return { type: 'step-intended', at: AT, step: `tag.${name}#1`, resources: [`tag.${name}`], token, ...rest };
}

function settled(name: string, state: StepSettled['state']): JournalEvent {
  return { type: 'step-settled', at: AT, step: `tag.${name}#1`, state, grade: 'B', outputs: {} };
}

/** A lineage whose last run went well, with what earlier ones left. */
function lineage(...events: readonly JournalEvent[]): LineageState {
  const run = { plan: DIGEST, changeSet: DIGEST, engine: '0' };
  return new LineageState([
    {
      type: 'lineage-started',
      at: AT,
      version: 1,
      lineage: 'l',
      target: { origin: 'local', client: DIGEST },
    },
    ...events,
    { type: 'run-started', at: '2026-01-02T00:00:00.000Z', run: 'r2', ...run },
    { type: 'run-ended', at: '2026-01-02T00:00:01.000Z', run: 'r2', result: 'done' },
  ]);
}

const TWICE = lineage(
  sent('a'),
  settled('a', 'confirmed'),
  { type: 'step-duplicated', at: AT, step: 'tag.a#1', facts: {} },
  sent('b'),
  settled('b', 'undecided'),
  sent('c'),
  settled('c', 'confirmed'),
  sent('d'),
);

describe('what is not settled', () => {
  it('is what a person may have to decide: not what is confirmed, and not what the next run looks for anyway', () => {
    expect(unsettledSteps(TWICE)).toEqual([
      { step: 'tag.a#1', resources: ['tag.a'], state: 'duplicate' },
      { step: 'tag.b#1', resources: ['tag.b'], state: 'undecided' },
    ]);
    const said = { statement: 'seen', by: 'operator', at: AT } as const;
    const decided = lineage(sent('b'), settled('b', 'undecided'), {
      type: 'step-resolved',
      step: 'tag.b#1',
      decision: 'absent',
      ...said,
    });
    expect(unsettledSteps(decided)).toEqual([]);
  });

  it('stands in every form of a change set with nothing to do, however a step is called', () => {
    const idle = changeSet([change('tag.a', { action: 'none' })], {
      unsettled: [
        { step: 'tag.a#1', resources: ['tag.a'], state: 'duplicate' },
        ...HOSTILE.map((name) => {
          const id = `tag.${name}` as const;
          return { step: `${id}#1` as StepId, resources: [id], state: 'undecided' as const };
        }),
      ],
    });
    const text = changeSetText(idle, { colour: false, density: 'default' });
    const forms = [text, changeSetMarkdown(idle), changeSetHtml(idle)];
    for (const form of forms) {
      expect(form).toContain('may have taken effect twice');
      expect(form).toContain('not settled');
      for (const bad of ['\u001b', '<script']) expect(form).not.toContain(bad);
    }
    expect(changeSetHtml(idle)).not.toContain('<p>There is nothing to apply.</p>');
    expect(changeSetJson(idle)).toMatchObject({ empty: true, unsettled: idle.unsettled });
    expect(changeSetJson(changeSet([]))).toMatchObject({ unsettled: [] });
  });

  it('stands on the page of a later run that went well, which is not called done', () => {
    const place = { environment: 'local' };
    const page = (state: LineageState) =>
      runPageHtml(lastRunTimeline(state), {
        title: 'campus',
        nowMs: Date.parse(AT),
        resume: 'windlass apply',
        doubts: doubtsOf(state, place),
      });
    const found = page(TWICE);
    expect(found).toContain('tag.a#1');
    expect(found).toContain('Undecided');
    expect(found).not.toContain('>Done<');
    expect(page(lineage(sent('c'), settled('c', 'confirmed')))).toContain('>Done<');
  });
});
