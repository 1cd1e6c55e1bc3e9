import { describe, expect, test } from 'vitest';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import regressions from './regressions.json' with { type: 'json' };
import { enumerateCrashes, holds, hunt, parseSchedule, replay, runSeeds } from './batch.js';
import { FAULTS, formatDecisions, parseDecisions, type Stream } from './decisions.js';
import { PROFILES } from './profiles.js';
import { simulate } from './simulate.js';
import { WORKLOADS } from './workloads.js';

const SIM = fileURLToPath(new URL('../../bench/sim.mjs', import.meta.url));
const STREAMS = Object.keys(FAULTS) as Stream[];

describe('a release without faults', () => {
  test('ends with every step confirmed once, in every environment', async () => {
    for (const profile of PROFILES) {
      for (const workload of WORKLOADS.filter(({ fits }) => fits(profile))) {
        const { violation, undecided } = await simulate({ profile, workload, decisions: [] });
        expect([profile.name, workload.name, violation?.message, undecided]).toEqual([
          profile.name,
          workload.name,
          undefined,
          0,
        ]);
      }
    }
  }, 60_000);
});

describe('a release under faults', () => {
  test('breaks no invariant', async () => {
    const tally = await runSeeds(1, 61, 1);
    expect(tally.failure).toBeUndefined();
    expect(tally.schedules).toBe(60);
    expect(tally.crashes).toBeGreaterThan(20);
  }, 60_000);

  test('breaks none that it ever broke', async () => {
    for (const schedule of regressions as readonly string[]) {
      const { violation } = await replay(schedule);
      expect([schedule, violation?.message]).toEqual([schedule, undefined]);
    }
  }, 60_000);

  test('may crash at points along two kinds of release', async () => {
    for (const place of ['local/labels', 'core/certificates']) {
      const tally = await enumerateCrashes(place, { pairs: false, stride: 11 });
      expect([place, tally.failure?.message]).toEqual([place, undefined]);
      expect(tally.crashes).toBeGreaterThan(5);
    }
  }, 60_000);

  test('runs the same way each time from its decisions alone', async () => {
    const first = await replay(
      'live/batch write:1=unanswered disk:30=power callback:2=twice forge:1=failure',
    );
    const second = await replay(
      'live/batch write:1=unanswered disk:30=power callback:2=twice forge:1=failure',
    );
    expect(first.crashes).toBe(1);
    expect(second).toEqual(first);
  });
});

describe('the simulator', () => {
  test('misses rules that are taken out of the engine', () => {
    const names = ['journal-after', 'retry-timeout', 'restart-is-unsent'];
    const out = execFileSync(process.execPath, [SIM, '--mutants', ...names, '--limit', '300'], {
      encoding: 'utf8',
      timeout: 50_000,
    });
    expect(out).toContain('mutants 3, caught 3, survived 0');
  }, 60_000);

  test('tells that a schedule and the seed that drew it break nothing in the engine as it is', async () => {
    const failure = {
      seed: 12,
      schedule: 'local/silent write:0=platform-restart',
      invariant: 'S4',
      message: '',
    };
    expect(await holds(failure)).toBe(true);
  });

  test('finds nothing to hunt in the engine as it is', async () => {
    const tally = await hunt({ first: ['local/labels write:1=unanswered'], from: 1, to: 4, short: false });
    expect(tally.failure).toBeUndefined();
    expect(tally.schedules).toBe(3);
  });

  test('reads schedules as it writes them', () => {
    const decision = fc.constantFrom(...STREAMS).chain((stream) =>
      fc.record({
        stream: fc.constant(stream),
        index: fc.nat(999),
        value: fc.nat(FAULTS[stream].length - 1),
      }),
    );
    fc.assert(
      fc.property(fc.array(decision), (decisions) => {
        expect(parseDecisions(formatDecisions(decisions))).toEqual(decisions);
      }),
    );
    expect(() => parseSchedule('nowhere/nothing')).toThrow('nowhere');
  });
});
