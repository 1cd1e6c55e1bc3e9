import { describe, expect, test } from 'vitest';
import type { ResourceId } from '../../src/model/id.js';
import { isEmpty } from '../../src/model/change.js';
import { REMOTE_PACE } from '../../src/execute/pace.js';
import type { Delivery } from '../support/memory-service.js';
import {
  abilities,
  auditContract,
  campus,
  category,
  hash,
  certificate,
  certificateContract,
  plan,
  project,
  record,
  REGISTRAR,
  tag,
  version,
  contract,
  wallet,
} from '../support/builders.js';
import { fates } from '../support/fates.js';
import { Release } from '../support/releasing.js';
import { CAMPUS_WRITES } from '../support/campus-writes.js';

/** The service that only the interface describes. */
const CORE = abilities({ capabilities: ['projects'] });

describe('a run of a plan with every kind', () => {
  test('confirms every step, takes effect once each, and leaves nothing to do', async () => {
    const release = new Release();
    const result = await release.apply(plan(campus()));
    expect(result.result).toBe('done');
    expect(new Set(result.steps.map(({ end }) => end))).toEqual(new Set(['confirmed']));
    expect(release.doubles()).toEqual([]);
    expect(Object.keys(release.lock())).toHaveLength(campus().length - 1);
    const next = await release.clock.run(release.preview(plan(campus())));
    expect(next.changes.filter(({ action }) => action !== 'none')).toEqual([]);
    expect(isEmpty(next)).toBe(true);
  });

  const deliveries: readonly Delivery[] = ['never', 'twice', 'early'];
  test.each(deliveries)('ends with the same lock when callbacks come %s', async (delivery) => {
    const usual = new Release();
    await usual.apply(plan(campus()));
    const release = new Release();
    release.service.delivery = delivery;
    const result = await release.apply(plan(campus()));
    expect(result.result).toBe('done');
    expect(release.lock()).toEqual(usual.lock());
    expect(release.doubles()).toEqual([]);
  });

  test('ends with the same lock where callbacks are off', async () => {
    const usual = new Release();
    await usual.apply(plan(campus()));
    const release = new Release(abilities({ callbacks: false }));
    release.service.delivery = 'never';
    expect((await release.apply(plan(campus()))).result).toBe('done');
    expect(release.lock()).toEqual(usual.lock());
  });

  test('ends with the same lock on a service that only the interface describes', async () => {
    const usual = new Release();
    await usual.apply(plan(campus()));
    const release = new Release(CORE, REMOTE_PACE);
    expect((await release.apply(plan(campus(), { maxInFlight: 1 }))).result).toBe('done');
    expect(release.lock()).toEqual(usual.lock());
    const again = await release.clock.run(release.preview(plan(campus())));
    expect(isEmpty(again)).toBe(true);
  });

  test('writes no personal data and no secret into the journal', async () => {
    const release = new Release();
    await release.apply(plan(campus()));
    expect(JSON.stringify(release.journal.events)).not.toContain('900101-14-5678');
  });
});

describe('a write that had no effect', () => {
  test('is sent again as a new attempt when it was not sent or refused for its rate', async () => {
    const release = new Release();
    fates(release, { 'audit.contract.create': 'not_sent', 'audit-record.a': 'limited' });
    const result = await release.apply(plan([auditContract('releases'), record('a')]));
    expect(result.result).toBe('done');
    expect([...release.state().attempts.keys()]).toEqual([
      'audit-contract.releases#1',
      'audit-contract.releases#2',
      'audit-record.a#1',
      'audit-record.a#2',
    ]);
    expect(release.doubles()).toEqual([]);
  });

  test('is sent a limited number of times', async () => {
    const release = new Release();
    fates(release, { 'category.create': 'not_sent', 'audit.category.create': 'not_sent' }, true);
    const result = await release.apply(plan([category('a')]));
    expect(result.result).toBe('incomplete');
    expect(release.service.sent).toHaveLength(release.pace.maxSendings);
  });

  test('fails its step when the service refuses it, and skips only what needs it', async () => {
    const release = new Release();
    fates(release, { 'audit.contract.create': 'rejected' }, true);
    const resources = [
      auditContract('releases'),
      record('a'),
      category('b'),
      certificateContract('diplomas'),
    ];
    const result = await release.apply(plan(resources));
    expect(result.result).toBe('incomplete');
    expect(release.ends(result)).toEqual({
      'audit-contract.releases': 'failed',
      'audit-record.a': 'skipped',
      'category.b': 'confirmed',
      'certificate-contract.diplomas': 'confirmed',
    });
    fates(release, {});
    expect((await release.apply(plan(resources))).result).toBe('done');
  });

  test('fails when the chain reverts it, and the next run makes it', async () => {
    const release = new Release();
    fates(release, { 'audit-record.a': 'reverted' });
    const resources = [auditContract('releases'), record('a')];
    expect(release.ends(await release.apply(plan(resources)))['audit-record.a']).toBe('failed');
    expect((await release.apply(plan(resources))).result).toBe('done');
  });
});

describe('a write whose answer was lost', () => {
  test('is not sent again when a refusal hid its effect, though a crash kept anybody from looking behind it', async () => {
    const release = new Release();
    const wanted = plan([auditContract('releases'), record('a')]);
    let die: () => void = () => undefined;
    const died = new Promise<void>((resolve) => {
      die = resolve;
    });
    let refused = false;
    const dying = release.apply(wanted, {
      until: died,
      wrap: (ports) => ({
        ...ports,
        service: {
          read: async (request) => {
            if (!refused) return ports.service.read(request);
            die();
            return new Promise(() => undefined);
          },
          write: async (request, url, step) => {
            const answer = await ports.service.write(request, url, step);
            if (request.endpoint !== 'audit.record.create') return answer;
            refused = true;
            return { outcome: 'rejected', status: 429, message: 'slow down' };
          },
        },
      }),
    });
    await expect(dying).rejects.toThrow('died');
    expect((await release.apply(wanted)).result).toBe('done');
    expect(release.doubles()).toEqual([]);
    expect([...release.state().attempts.keys()]).toEqual(['audit-contract.releases#1', 'audit-record.a#1']);
  });

  test.each(CAMPUS_WRITES)(
    'is found by reads and never sent again when it took effect: %s',
    async (endpoint) => {
      const usual = new Release();
      await usual.apply(plan(campus()));
      const release = new Release();
      release.service.delivery = 'never';
      fates(release, { [endpoint]: 'unanswered' });
      expect((await release.apply(plan(campus()))).result).toBe('done');
      expect(release.doubles()).toEqual([]);
      expect(release.lock()).toEqual(usual.lock());
    },
  );

  test.each(CAMPUS_WRITES)(
    'is sent again where the platform bounds its delay and shows nothing: %s',
    async (endpoint) => {
      const usual = new Release();
      await usual.apply(plan(campus()));
      const release = new Release();
      fates(release, { [endpoint]: 'lost' });
      expect((await release.apply(plan(campus()))).result).toBe('done');
      expect(release.doubles()).toEqual([]);
      expect(Object.keys(release.lock())).toEqual(Object.keys(usual.lock()));
    },
  );

  test('is undecided where the service bounds nothing, and what needs it is skipped', async () => {
    const release = new Release(CORE, REMOTE_PACE);
    fates(release, { 'audit-record.a': 'lost' });
    const labels = ['category.c' as ResourceId];
    const resources = [
      auditContract('releases'),
      category('c'),
      record('a', { categories: labels }),
      tag('t'),
    ];
    const result = await release.apply(plan(resources, { maxInFlight: 1 }));
    expect(result.result).toBe('undecided');
    expect(release.ends(result)['audit-record.a']).toBe('undecided');
    expect(release.ends(result)['tag.t']).toBe('confirmed');
  });

  test('stays undecided on the next run without the whole horizon, and is not sent', async () => {
    const release = new Release(CORE, REMOTE_PACE);
    const resources = [auditContract('releases'), record('a'), record('b')];
    fates(release, { 'audit-record.a': 'lost' });
    const first = await release.apply(plan(resources, { maxInFlight: 1 }));
    expect(release.ends(first)['audit-record.b']).toBe('skipped');
    const sent = release.service.sent.length;
    const beganMs = release.clock.nowMs();
    expect((await release.apply(plan(resources, { maxInFlight: 1 }))).result).toBe('undecided');
    expect(release.service.sent).toHaveLength(sent);
    expect(release.clock.nowMs() - beganMs).toBeLessThan(REMOTE_PACE.ambiguousHorizonMs / 10);
  });

  test('is looked for again, not sent, when a sign of its effect comes just before it would be sent anew', async () => {
    const release = new Release();
    fates(release, { 'audit-record.a': 'lost' });
    const plain = record('a', { envelope: 'none' });
    const result = await release.apply(plan([auditContract('releases'), plain]), {
      observe: (event) => {
        if (event.type === 'step-settled' && event.state === 'failed')
          void release.service.inbox.deliver(event.step, { status: 'success', transactionHash: hash(1) });
      },
    });
    expect(result.result).toBe('undecided');
    expect([...release.state().attempts.keys()]).toEqual(['audit-contract.releases#1', 'audit-record.a#1']);
    expect(release.service.sent).toHaveLength(2);
  });

  test('is not taken for the equal record of another step', async () => {
    const release = new Release();
    release.service.delivery = 'never';
    fates(release, { 'audit-record.b': 'lost' });
    const plain = { envelope: 'none', metadata: 'same' } as const;
    await release.apply(plan([auditContract('releases'), record('a', plain), record('b', plain)]));
    const entries = release.state().lock?.entries;
    const [a, b] = [entries?.get('audit-record.a'), entries?.get('audit-record.b')];
    expect(b?.step).toBe('audit-record.b#2');
    expect(b?.outputs.transaction).not.toBe(a?.outputs.transaction);
  });
});

describe('a deploy request that fails half-way', () => {
  test('keeps what deployed; the rest is a new step with the literal address', async () => {
    const release = new Release();
    fates(release, { 'version.deploy': 'reverted' });
    const resources = campus();
    const result = await release.apply(plan(resources));
    expect(release.ends(result)['deployment.core']).toBe('failed');
    expect(release.lock()).toHaveProperty(['contract.core.Registry']);
    expect(release.ends(result)['audit-record.shipped']).toBe('skipped');
    fates(release, {});
    expect((await release.apply(plan(resources))).result).toBe('done');
    const last = release.state().attempts.get('contract.core.Token#1');
    expect(last?.resources).toEqual(['contract.core.Token']);
    expect(isEmpty(await release.clock.run(release.preview(plan(resources))))).toBe(true);
  });

  test('is settled by reads where callbacks are off', async () => {
    const release = new Release(abilities({ callbacks: false }));
    release.service.delivery = 'never';
    fates(release, { 'version.deploy': 'reverted' });
    const result = await release.apply(plan(campus()));
    expect(release.ends(result)['deployment.core']).toBe('failed');
    expect(release.lock()).toHaveProperty(['contract.core.Registry']);
  });
});

describe('two instances of one contract', () => {
  test('keep their own addresses where no filter and no callback tells them apart', async () => {
    const resources = [
      project(),
      version(),
      contract('Token', { registry: REGISTRAR, cap: '1' }, { deployment: 'deployment.one' }),
      contract('Token', { registry: REGISTRAR, cap: '2' }, { deployment: 'deployment.two' }),
    ];
    const usual = new Release();
    await usual.apply(plan(resources));
    const release = new Release(CORE, REMOTE_PACE);
    release.service.delivery = 'never';
    const blind = new Release(abilities({ capabilities: ['projects'], callbacks: false }), REMOTE_PACE);
    for (const other of [release, blind]) {
      other.service.delivery = 'never';
      expect((await other.apply(plan(resources))).result).toBe('done');
      expect(other.lock()).toEqual(usual.lock());
    }
  });
});

describe('a replacement', () => {
  test('makes anew what was asked for and what holds its address, with the new addresses', async () => {
    const release = new Release();
    const resources = [project(), version(), contract('Registry'), contract('Vault')];
    await release.apply(plan(resources));
    const before = release.lock();
    // The model derives addresses from requests: another wallet makes another address.
    const moved = resources.map((item) =>
      item.id === 'contract.core.Registry'
        ? contract('Registry', {}, { wallet: { type: 'organisation', address: `0x${'1'.repeat(40)}` } })
        : item,
    );
    expect((await release.apply(plan(moved))).result).toBe('done');
    expect(release.lock()['contract.core.Registry']).not.toEqual(before['contract.core.Registry']);
    expect(release.lock()['contract.core.Vault']).toEqual(before['contract.core.Vault']);
  });
});

describe('many certificates', () => {
  test('are minted in plan order, one request at a time, and the next plan is empty', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => certificate(String(index).padStart(4, '0')));
    const release = new Release();
    const resources = [certificateContract('diplomas'), wallet('bob'), ...rows];
    expect((await release.apply(plan(resources))).result).toBe('done');
    const minted = release.service.sent.filter((step) => step.startsWith('certificate.class'));
    expect(minted).toEqual(rows.map(({ id }) => `${id}#1`));
    expect(isEmpty(await release.clock.run(release.preview(plan(resources))))).toBe(true);
  });
});
