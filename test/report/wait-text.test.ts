import { describe, expect, it } from 'vitest';
import { runFrame } from '../../src/report/run-frame.js';
import { advanceView, beginView, type RunView } from '../../src/report/run-view.js';
import { heartbeatOf, waitLines } from '../../src/report/wait-text.js';
import type { StepWatched } from '../../src/execute/result.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const STEP = 'certificate-contract.diplomas#1';

function watched(over: Partial<StepWatched> = {}): StepWatched {
  return {
    type: 'step-watched',
    step: STEP,
    answer: 'ambiguous',
    evidence: ['callback', 'certificate.contract.list'],
    until: '2026-01-01T00:45:00.000Z',
    ...over,
  };
}

/** A run that resumes what an earlier one sent: it intends nothing itself. */
function waiting(over: Partial<StepWatched> = {}): RunView {
  return advanceView(beginView([]), watched(over), START);
}

describe('a run that waits', () => {
  it('names the step, why, on what evidence and until when', () => {
    const [line] = waitLines(waiting(), START + 660_000);
    expect(line).toBe(
      '  waits for certificate-contract.diplomas#1 (11 min 00 s): its answer was lost or unclear; proof by callback, certificate.contract.list; given up at 00:45:00 UTC, in 34 min 00 s',
    );
    expect(waitLines(waiting({ evidence: [] }), START)[0]).toContain('nothing here shows it');
    expect(waitLines(beginView([]), START)).toEqual([]);
  });

  it('says it in a terminal of any size, why only where there is room', () => {
    const room = { columns: 120, rows: 24, nowMs: START + 60_000, colour: false };
    const frame = runFrame(waiting(), room);
    expect(frame[0]).toContain('waiting for proof, 44 min 00 s at most');
    expect(frame[1]).toContain('its answer was lost or unclear; proof by callback');
    const small = runFrame(waiting(), { ...room, rows: 3 });
    expect(small).toHaveLength(2);
    expect(small[0]).toContain('at most');
  });

  it('says it to a machine, and forgets the step once it is settled', () => {
    expect(heartbeatOf(waiting())).toEqual({
      type: 'heartbeat',
      done: 0,
      total: 0,
      waiting: [
        {
          step: STEP,
          since: '2026-01-01T00:00:00.000Z',
          answer: 'ambiguous',
          evidence: ['callback', 'certificate.contract.list'],
          until: '2026-01-01T00:45:00.000Z',
        },
      ],
    });
    const at = '2026-01-01T00:00:09.000Z';
    const settled = { type: 'step-settled', at, step: STEP, state: 'confirmed', grade: 'B' } as const;
    expect(heartbeatOf(advanceView(waiting(), { ...settled, outputs: {} }, START))).toMatchObject({
      waiting: [],
    });
  });
});
