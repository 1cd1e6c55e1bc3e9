import { describe, expect, test } from 'vitest';
import { isEmpty } from '../../src/model/change.js';
import type { AnyResource } from '../../src/model/resource.js';
import { REMOTE_PACE } from '../../src/execute/pace.js';
import { abilities, campus, plan } from '../support/builders.js';
import { Crash } from '../support/crash.js';
import { Release } from '../support/releasing.js';

const PLAN = plan(campus());

async function usualLock(): Promise<Release> {
  const usual = new Release();
  await usual.apply(PLAN);
  return usual;
}

/** Lets a process die at every point there is, each time with a release of its own. */
async function atEveryPoint(
  begin: () => Release,
  check: (release: Release, point: number) => Promise<void>,
): Promise<number> {
  for (let point = 1; ; point += 1) {
    const release = begin();
    const crash = new Crash(point);
    await release.applyUntil(crash, PLAN);
    if (!crash.isOver) return point;
    await check(release, point);
  }
}

describe('a process that dies at any point', () => {
  test('leaves a journal from which the next run ends with the same lock and one effect per step', async () => {
    const usual = await usualLock();
    const points = await atEveryPoint(
      () => new Release(),
      async (release, point) => {
        const result = await release.apply(PLAN);
        expect([point, result.result]).toEqual([point, 'done']);
        expect([point, release.doubles()]).toEqual([point, []]);
        expect(release.lock()).toEqual(usual.lock());
        expect(isEmpty(await release.clock.run(release.preview(PLAN)))).toBe(true);
      },
    );
    expect(points).toBeGreaterThan(100);
  }, 120_000);

  test('never has an effect twice where the service bounds nothing: done, or undecided and nothing sent', async () => {
    const core = abilities({ capabilities: ['projects'] });
    await atEveryPoint(
      () => {
        const release = new Release(core, REMOTE_PACE);
        release.service.delivery = 'never';
        return release;
      },
      async (release, point) => {
        const first = await release.apply(PLAN);
        expect([point, ['done', 'undecided'].includes(first.result)]).toEqual([point, true]);
        const sent = release.service.sent.length;
        const second = await release.apply(PLAN);
        expect([point, second.result]).toEqual([point, first.result]);
        expect(release.service.sent).toHaveLength(sent);
        expect([point, release.doubles()]).toEqual([point, []]);
      },
    );
  }, 120_000);

  test('may die twice', async () => {
    const usual = await usualLock();
    for (let point = 7; point < 160; point += 13) {
      const release = new Release();
      await release.applyUntil(new Crash(point), PLAN);
      await release.applyUntil(new Crash(point), PLAN);
      expect((await release.apply(PLAN)).result).toBe('done');
      expect(release.doubles()).toEqual([]);
      expect(release.lock()).toEqual(usual.lock());
    }
  });

  test('leaves attempts that are settled although the plan has dropped their resources since', async () => {
    const shorter: readonly AnyResource[] = campus().slice(0, 6);
    await atEveryPoint(
      () => new Release(),
      async (release, point) => {
        const result = await release.apply(plan(shorter));
        expect([point, result.result === 'undecided']).toEqual([point, false]);
        const open = [...release.state().attempts.values()].filter(({ settled }) => settled === undefined);
        expect(open).toEqual([]);
        expect(release.doubles()).toEqual([]);
      },
    );
  }, 120_000);
});
