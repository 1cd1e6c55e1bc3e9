import { describe, expect, test } from 'vitest';
import { REMOTE_PACE } from '../../src/execute/pace.js';
import type { Ports, WriteAnswer } from '../../src/execute/ports.js';
import { isOpen } from '../../src/state/attempt.js';
import { abilities, auditContract, plan } from '../support/builders.js';
import { fates } from '../support/fates.js';
import { Release } from '../support/releasing.js';

const CONTRACTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => auditContract(name));
const ANY = { maxInFlight: 2, sendOrder: 'any' } as const;

/** How many were there at most of what a run has under way. */
interface Peaks {
  inFlight: number;
  intended: number;
}

/** Answers take a while; what is under way meanwhile is counted. `onWrite` may answer in place of the service. */
function watched(
  release: Release,
  peaks: Peaks,
  onWrite: (nth: number) => WriteAnswer | undefined = () => undefined,
): (ports: Ports) => Ports {
  let [inFlight, sent] = [0, 0];
  return (ports) => ({
    ...ports,
    service: {
      read: (request) => ports.service.read(request),
      write: async (request, url, step) => {
        inFlight += 1;
        sent += 1;
        const answer = onWrite(sent);
        peaks.inFlight = Math.max(peaks.inFlight, inFlight);
        await release.clock.sleep(50);
        const unanswered = [...release.state().attempts.values()].filter(isOpen).length;
        peaks.intended = Math.max(peaks.intended, unanswered);
        const answered = answer ?? (await ports.service.write(request, url, step));
        inFlight -= 1;
        return answered;
      },
    },
  });
}

describe('a lane in any order', () => {
  test('has as many in flight as it may, and as many again ready to be sent', async () => {
    const release = new Release();
    const peaks = { inFlight: 0, intended: 0 };
    const result = await release.apply(plan(CONTRACTS, ANY), { wrap: watched(release, peaks) });
    expect(result.result).toBe('done');
    expect(peaks).toEqual({ inFlight: 2, intended: 4 });
    expect(release.doubles()).toEqual([]);
  });

  test('makes nothing ready ahead in plan order, or with one in flight', async () => {
    for (const [over, most] of [
      [
        { maxInFlight: 2, sendOrder: 'plan' },
        { inFlight: 1, intended: 2 },
      ],
      [
        { maxInFlight: 1, sendOrder: 'any' },
        { inFlight: 1, intended: 1 },
      ],
    ] as const) {
      const release = new Release();
      const peaks = { inFlight: 0, intended: 0 };
      await release.apply(plan(CONTRACTS, over), { wrap: watched(release, peaks) });
      expect(peaks).toEqual(most);
    }
  });

  test('sends nothing that was ready when it is stopped, and says of each that it was not sent', async () => {
    const release = new Release(abilities({ capabilities: [] }), REMOTE_PACE);
    const stop = new AbortController();
    const peaks = { inFlight: 0, intended: 0 };
    const wrap = watched(release, peaks, (nth) => {
      if (nth === 2) setImmediate(() => stop.abort());
      return undefined;
    });
    const result = await release.apply(plan(CONTRACTS, ANY), { wrap, signal: stop.signal });
    expect(result.result).toBe('interrupted');
    expect(release.service.sent).toHaveLength(2);
    const attempts = [...release.state().attempts.values()];
    expect(attempts.map(({ answered }) => answered?.outcome)).toEqual([
      'accepted',
      'accepted',
      'not_sent',
      'not_sent',
    ]);
    expect(attempts.filter(isOpen)).toEqual([]);
    expect((await release.apply(plan(CONTRACTS, ANY))).result).toBe('done');
    expect(release.doubles()).toEqual([]);
  });

  test('sends nothing that was ready when the service could not be reached, and ends', async () => {
    const release = new Release();
    const wrap = watched(release, { inFlight: 0, intended: 0 }, () => ({ outcome: 'not_sent' }));
    const result = await release.apply(plan(CONTRACTS, ANY), { wrap });
    const ends = Object.values(release.ends(result));
    expect(ends.filter((end) => end === 'failed')).toHaveLength(2);
    expect(ends.filter((end) => end === 'skipped')).toHaveLength(CONTRACTS.length - 2);
    expect(release.state().openAttempts).toEqual([]);
    expect((await release.apply(plan(CONTRACTS, ANY))).result).toBe('done');
    expect(release.doubles()).toEqual([]);
  });

  test('keeps a place for what waits to be sent again', async () => {
    const release = new Release();
    fates(release, { 'audit-contract.a': 'limited', 'audit-contract.b': 'limited' });
    const peaks = { inFlight: 0, intended: 0 };
    const result = await release.apply(plan(CONTRACTS, ANY), { wrap: watched(release, peaks) });
    expect(result.result).toBe('done');
    expect(peaks.inFlight).toBe(2);
    const steps = [...release.state().attempts.keys()];
    expect(steps.filter((step) => step.endsWith('#2'))).toEqual(['audit-contract.a#2', 'audit-contract.b#2']);
    expect(release.doubles()).toEqual([]);
  });

  test('has no intent of what was sent before until it has its place, so that its licence is looked up last', async () => {
    const release = new Release();
    fates(release, { 'audit.contract.create': 'rejected' }, true);
    await release.apply(plan(CONTRACTS, ANY));
    expect(release.state().openAttempts).toEqual([]);
    fates(release, {});
    const peaks = { inFlight: 0, intended: 0 };
    const result = await release.apply(plan(CONTRACTS, ANY), { wrap: watched(release, peaks) });
    expect(result.result).toBe('done');
    expect(peaks).toEqual({ inFlight: 2, intended: 2 });
    expect(release.doubles()).toEqual([]);
  });

  test('takes what reads show for the effect of what was sent, whatever waits', async () => {
    const release = new Release();
    fates(release, { 'audit-contract.a': 'unanswered', 'audit-contract.b': 'unanswered' });
    release.service.delivery = 'never';
    const wrap = watched(release, { inFlight: 0, intended: 0 });
    const result = await release.apply(plan(CONTRACTS, ANY), { wrap });
    expect(result.result).toBe('done');
    expect(release.doubles()).toEqual([]);
  });

  test('counts what an earlier run left open as in flight', async () => {
    const release = new Release();
    fates(release, { 'audit-contract.a': 'lost', 'audit-contract.b': 'lost' });
    const death = new Promise<void>((resolve) => void release.clock.sleep(200).then(resolve));
    const first = watched(release, { inFlight: 0, intended: 0 });
    await expect(release.apply(plan(CONTRACTS, ANY), { wrap: first, until: death })).rejects.toThrow('died');
    expect(release.state().openAttempts).toHaveLength(4);
    const sentAtOnce = release.service.sent.length;
    const peaks = { inFlight: 0, intended: 0 };
    const opens: number[] = [];
    const wrap = watched(release, peaks, () => {
      opens.push(release.state().openAttempts.length);
      return undefined;
    });
    const result = await release.apply(plan(CONTRACTS, ANY), { wrap });
    expect(sentAtOnce).toBe(2);
    expect(result.result).toBe('done');
    // Four were open: the first new one is sent when at most one of them is left.
    expect(opens[0]).toBeLessThanOrEqual(4);
    expect(release.doubles()).toEqual([]);
  });
});
