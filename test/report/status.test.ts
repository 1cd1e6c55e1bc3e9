import { describe, expect, it } from 'vitest';
import { codeOfDoubts, doubtsOf } from '../../src/report/doubt.js';
import { statusOf, statusText } from '../../src/report/status.js';
import { tableText } from '../../src/report/table.js';
import { verificationJson, verificationText } from '../../src/report/verification.js';
import type { JournalEvent } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';

const at = '2026-01-01T00:00:00.000Z';
const plain = { colour: false };
const HERE = { environment: 'local' };

function intended(step: `tag.${string}#${number}`): JournalEvent {
  return {
    type: 'step-intended',
    at,
    step,
    resources: [step.slice(0, step.indexOf('#')) as `tag.${string}`],
    operation: 'x',
    lane: 'x',
    token: `sha256:${step}`,
    request: 'sha256:00',
    before: null,
    inputs: {},
  };
}

function settled(step: `tag.${string}#${number}`, state: 'confirmed' | 'failed' | 'undecided'): JournalEvent {
  return { type: 'step-settled', at, step, state, grade: 'B', outputs: {}, message: `${state} because` };
}

function lineage(...events: readonly JournalEvent[]): LineageState {
  return new LineageState([
    {
      type: 'lineage-started',
      at,
      version: 1,
      lineage: 'l',
      target: { origin: 'local', client: 'sha256:00' },
    },
    { type: 'run-started', at, run: 'r1', plan: 'sha256:00', changeSet: 'sha256:00', engine: '0' },
    ...events,
  ]);
}

describe('the status of a lineage', () => {
  it('says that nothing was applied', () => {
    expect(statusOf(new LineageState(), HERE)).toBeUndefined();
    expect(statusText(undefined, plain)).toContain('Nothing was applied');
  });

  it('names what is open, failed or undecided, and not what a later attempt made good', () => {
    const state = lineage(
      intended('tag.a#1'),
      settled('tag.a#1', 'failed'),
      intended('tag.a#2'),
      settled('tag.a#2', 'confirmed'),
      intended('tag.b#1'),
      settled('tag.b#1', 'undecided'),
      intended('tag.c#1'),
    );
    const status = statusOf(state, HERE);
    expect(status?.steps.map(({ step, state: how, grade }) => [step, how, grade])).toEqual([
      ['tag.b#1', 'undecided', 'B'],
      ['tag.c#1', 'open', undefined],
    ]);
    expect(statusText(status, plain)).toMatchInlineSnapshot(`
      "0 resources locked, 1 step confirmed.
      Last run r1 began 2026-01-01T00:00:00.000Z: it did not end yet, or a crash cut it short; then apply resumes it.
      Not settled: of 1 step the outcome is not known, 1 step is sent and open.

      undecided tag.b#1
        A request to x (an endpoint that this version does not know) for tag.b was sent at
        2026-01-01T00:00:00.000Z, or was about to be: the run ended before an answer was recorded. No
        callback was heard. Undecided since 2026-01-01T00:00:00.000Z. It is not sent again, and what
        depends on it waits; apply looks for proof once more. Where you know the outcome, say it:
          windlass resolve 'tag.b#1' --adopt id=NUMBER
          windlass resolve 'tag.b#1' --absent --statement 'WHAT YOU LOOKED AT' --confirm 'tag.b#1'

      open tag.c#1
        A request to x (an endpoint that this version does not know) for tag.c was sent at
        2026-01-01T00:00:00.000Z, or was about to be: the run ended before an answer was recorded. No
        callback was heard. No look has settled it yet. The next apply looks for proof before anything is
        sent. Where you know the outcome, say it:
          windlass resolve 'tag.c#1' --adopt id=NUMBER
          windlass resolve 'tag.c#1' --absent --statement 'WHAT YOU LOOKED AT' --confirm 'tag.c#1'"
    `);
  });
});

describe('what verification found', () => {
  it('puts differences first, and never counts the unreadable as a match', () => {
    const text = verificationText(
      {
        matches: ['tag.a'],
        mismatches: [
          {
            id: 'tag.b',
            message: 'the platform shows other values',
            fields: [{ path: 'name', before: 'b', after: 'c' }],
          },
        ],
        unreadable: [{ id: 'tag.c', reason: 'capability lists' }],
        repeats: [],
        others: [],
      },
      plain,
    );
    expect(text).toMatchInlineSnapshot(`
      "differs tag.b: the platform shows other values
           name: "b" → "c"
      unread tag.c: capability lists
      1 of 3 resources match, 1 differs, 1 cannot be read here."
    `);
  });

  it('never says that all match without what is not settled, and names the lines that settle it', () => {
    const doubts = doubtsOf(
      lineage(intended('tag.b#1'), settled('tag.b#1', 'undecided'), intended('tag.c#1')),
      HERE,
    );
    const found = { matches: ['tag.a'] as const, mismatches: [], unreadable: [], repeats: [], others: [] };
    expect(codeOfDoubts(doubts)).toBe('STEP_UNDECIDED');
    expect(codeOfDoubts(doubts.slice(1))).toBe('STEP_OPEN');
    expect(codeOfDoubts([])).toBeUndefined();
    const text = verificationText(found, { ...plain, doubts });
    expect(text).toContain("windlass resolve 'tag.b#1'");
    expect(text.split('\n').at(-1)).toBe(
      '1 of 1 resource match, of 1 step the outcome is not known, 1 step is sent and open.',
    );
    expect(verificationText({ ...found, matches: [] }, { ...plain, doubts })).toContain('; but of 1 step');
    expect(verificationJson(found, doubts)).toMatchObject({
      doubts: [{ step: 'tag.b#1' }, { step: 'tag.c#1' }],
    });
  });

  it('says when there is nothing to verify', () => {
    expect(
      verificationText({ matches: [], mismatches: [], unreadable: [], repeats: [], others: [] }, plain),
    ).toContain('nothing to verify');
  });
});

describe('a table', () => {
  it('lines up columns, whatever stands in them', () => {
    expect(
      tableText([
        { id: 1, name: '学' },
        { id: 10, name: '\u001b[2J' },
        { id: null, name: 'x' },
      ]),
    ).toBe('id  name\n1   学\n10  \\u{1B}[2J\n    x');
    expect(tableText([])).toBe('');
  });
});
