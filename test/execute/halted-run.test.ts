import { describe, expect, test } from 'vitest';
import { REMOTE_PACE } from '../../src/execute/pace.js';
import type { Ports, WriteAnswer } from '../../src/execute/ports.js';
import {
  abilities,
  auditContract,
  campus,
  category,
  certificate,
  certificateContract,
  plan,
  tag,
} from '../support/builders.js';
import { fates } from '../support/fates.js';
import { Release } from '../support/releasing.js';

describe('a run that is stopped', () => {
  test('begins nothing more and settles what is under way', async () => {
    const release = new Release();
    const stop = new AbortController();
    const result = await release.apply(plan(campus()), {
      signal: stop.signal,
      observe: (event) => {
        if (event.type === 'step-answered') stop.abort();
      },
    });
    expect(result.result).toBe('interrupted');
    const open = [...release.state().attempts.values()].filter(({ settled }) => settled === undefined);
    expect(open).toEqual([]);
    expect((await release.apply(plan(campus()))).result).toBe('done');
    expect(release.doubles()).toEqual([]);
  });

  test('waits for outcomes for a while, then leaves what nothing proves to the next run', async () => {
    const release = new Release(abilities({ capabilities: [] }), REMOTE_PACE);
    // A callback may still come.
    fates(release, { 'audit.contract.create': 'lost' });
    const stop = new AbortController();
    const stopped = await release.apply(plan([auditContract('a')]), {
      signal: stop.signal,
      observe: (event) => {
        if (event.type === 'step-answered') stop.abort();
      },
    });
    expect(stopped).toMatchObject({
      result: 'interrupted',
      steps: [{ end: 'open', step: 'audit-contract.a#1' }],
    });
    expect(release.state().openAttempts).toHaveLength(1);
    await release.apply(plan([auditContract('a')]));
    expect(release.service.sent).toHaveLength(1);
    expect(release.doubles()).toEqual([]);
  });

  test('sends nothing again while it stops', async () => {
    const release = new Release();
    fates(release, { 'audit.category.create': 'not_sent' }, true);
    const stop = new AbortController();
    await release.apply(plan([category('a')]), {
      signal: stop.signal,
      observe: (event) => {
        if (event.type === 'step-waiting') stop.abort();
      },
    });
    expect(release.service.sent).toHaveLength(1);
  });
});

describe('a run that ends at its first failure', () => {
  const resources = [auditContract('releases'), category('a'), tag('b'), certificateContract('diplomas')];

  /** How long each part of a sending takes here: so the other steps are still on their way when one fails. */
  const slow: Record<string, (ports: Ports, wait: () => Promise<void>) => Ports> = {
    'are still waiting for a read': (ports, wait) => ({
      ...ports,
      service: {
        write: (...args) => ports.service.write(...args),
        read: async (request) => {
          if (!JSON.stringify(request).includes('audit.contract')) await wait();
          return ports.service.read(request);
        },
      },
    }),
    'have an intent that is not durable yet': (ports, wait) => ({
      ...ports,
      journal: {
        append: async (events) => {
          await ports.journal.append(events);
          const others = events.filter(({ type }) => type === 'step-intended');
          if (others.some((event) => 'step' in event && !event.step.startsWith('audit-contract')))
            await wait();
        },
      },
    }),
    'have no address for callbacks yet': (ports, wait) => ({
      ...ports,
      inbox: {
        receive: (handler) => ports.inbox.receive(handler),
        open: async (step) => {
          if (!step.startsWith('audit-contract')) await wait();
          return ports.inbox.open(step);
        },
      },
    }),
  };

  test.each(Object.keys(slow))('sends nothing of the steps that %s', async (moment) => {
    const release = new Release();
    fates(release, { 'audit.contract.create': 'rejected' }, true);
    const result = await release.apply(plan(resources), {
      failFast: true,
      wrap: (ports) => slow[moment]!(ports, () => release.clock.sleep(1_000)),
    });
    expect(release.service.sent).toEqual(['audit-contract.releases#1']);
    expect(result.result).toBe('incomplete');
    expect(release.ends(result)).toEqual({
      'audit-contract.releases': 'failed',
      'category.a': 'skipped',
      'tag.b': 'skipped',
      'certificate-contract.diplomas': 'skipped',
    });
    expect(new Set(result.steps.slice(1).map(({ message }) => message))).toEqual(
      new Set(['audit-contract.releases did not succeed']),
    );
    fates(release, {});
    expect((await release.apply(plan(resources))).result).toBe('done');
    expect(release.doubles()).toEqual([]);
  });

  test('sends nothing again, and does not sit out the pause before it', async () => {
    const release = new Release();
    fates(release, { 'audit.category.create': 'limited', 'audit-contract.releases': 'reverted' });
    const beganMs = release.clock.nowMs();
    const result = await release.apply(plan(resources), { failFast: true });
    expect(release.ends(result)).toMatchObject({ 'category.a': 'failed', 'tag.b': 'confirmed' });
    expect(release.service.sent.filter((sent) => sent === 'audit.category.create')).toHaveLength(1);
    expect(release.clock.nowMs() - beganMs).toBeLessThan(500);
  });
});

describe('a batch that the service refuses', () => {
  const rows = Array.from({ length: 40 }, (_, index) => certificate(String(index).padStart(2, '0')));
  const resources = [certificateContract('diplomas'), ...rows, category('c')];

  /** Refuses every mint from the given row on, and keeps count. */
  function refusing(release: Release, from: number, answer: Partial<WriteAnswer>): (ports: Ports) => Ports {
    let mints = 0;
    return (ports) => ({
      ...ports,
      service: {
        read: (request) => ports.service.read(request),
        write: async (request, url, step) => {
          const isMint = request.endpoint.startsWith('certificate.mint');
          if (isMint) mints += 1;
          if (!isMint || mints <= from) return ports.service.write(request, url, step);
          await release.clock.sleep(10);
          release.service.sent.push(`refused ${step}`);
          return { outcome: 'rejected', message: 'refused', ...answer };
        },
      },
    });
  }

  const forAll: Record<string, Partial<WriteAnswer>> = {
    'a member that all rows share': { status: 422, fields: ['contract_address'] },
    'such a member beside others': { status: 422, fields: ['to', 'wallet_address'] },
    'who asks': { status: 403 },
    'what is not there': { status: 404 },
  };

  test.each(['plan', 'any'] as const)('ends at the first refusal, in %s order', async (sendOrder) => {
    for (const answer of Object.values(forAll)) {
      const release = new Release();
      const wrap = refusing(release, 5, answer);
      const result = await release.apply(plan(resources, { maxInFlight: 2, sendOrder }), { wrap });
      const refused = release.service.sent.filter((sent) => sent.startsWith('refused'));
      expect(refused.length).toBeLessThanOrEqual(sendOrder === 'plan' ? 1 : 2);
      const ends = release.ends(result);
      const count = (end: string): number => rows.filter(({ id }) => ends[id] === end).length;
      expect([count('confirmed'), count('failed')]).toEqual([5, refused.length]);
      expect(count('skipped')).toBe(35 - refused.length);
      // In plan order not even an intent is left of the rows after it.
      const attempts = [...release.state().attempts.keys()].filter((id) => id.startsWith('certificate.'));
      if (sendOrder === 'plan') expect(attempts).toHaveLength(6);
      expect(ends['category.c']).toBe('confirmed');
      expect((await release.apply(plan(resources, { maxInFlight: 2, sendOrder }))).result).toBe('done');
      expect(release.doubles()).toEqual([]);
    }
  });

  test('goes on after a refusal that is about the row', async () => {
    for (const answer of [{ status: 422, fields: ['to'] }, { status: 422 }, { status: 413 }]) {
      const release = new Release();
      const result = await release.apply(plan(resources), { wrap: refusing(release, 5, answer) });
      const ends = release.ends(result);
      expect(rows.filter(({ id }) => ends[id] === 'failed')).toHaveLength(35);
    }
  });
});

describe('a run whose journal fails', () => {
  test('stops, says so, and sends nothing further, at whichever append it happens', async () => {
    const whole = new Release();
    await whole.apply(plan(campus()));
    for (let failing = 1; failing <= whole.journal.appends; failing += 1) {
      const release = new Release();
      release.journal.failsFrom = failing;
      await expect(release.apply(plan(campus()))).rejects.toThrow('no space left');
      const intended = release.journal.events.filter(({ type }) => type === 'step-intended').length;
      expect(release.service.sent.length).toBeLessThanOrEqual(intended);
      const sent = release.service.sent.length;
      await release.clock.run(release.clock.sleep(3_600_000));
      expect(release.service.sent).toHaveLength(sent);
    }
  });
});
