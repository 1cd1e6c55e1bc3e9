import { describe, expect, test } from 'vitest';
import type { StepId } from '../../src/model/id.js';
import { addressPlaceholder } from '../../src/model/value.js';
import { REMOTE_PACE } from '../../src/execute/pace.js';
import type { Ports, WriteAnswer } from '../../src/execute/ports.js';
import {
  abilities,
  address,
  auditContract,
  campus,
  contract,
  deployment,
  hash,
  plan,
  project,
  record,
  version,
} from '../support/builders.js';
import { fates } from '../support/fates.js';
import { Release } from '../support/releasing.js';
import { CAMPUS_WRITES } from '../support/campus-writes.js';

const LIMITED: WriteAnswer = {
  outcome: 'rejected',
  status: 429,
  message: 'slow down',
  retryAfterMs: 500,
};
const REFUSED: WriteAnswer = { outcome: 'rejected', status: 422, message: 'refused' };

/**
 * A middlebox that delivers the first write to an endpoint twice and hands on that the second was refused; after that, the
 * service cannot be read `blind` times.
 */
function refusing(endpoint: string, answer: WriteAnswer, blind = 0): (ports: Ports) => Ports {
  let refused = false;
  let left = blind;
  return (ports) => ({
    ...ports,
    service: {
      read: (request, settled) => {
        if (!refused || left === 0) return ports.service.read(request, settled);
        left -= 1;
        return Promise.resolve({ type: 'unreadable', message: 'no outcome yet' });
      },
      write: async (request, url, step) => {
        const first = await ports.service.write(request, url, step);
        if (refused || request.endpoint !== endpoint) return first;
        refused = true;
        return answer;
      },
    },
  });
}

describe('a refusal that hides the effect of an earlier delivery', () => {
  test.each(CAMPUS_WRITES)('is found out where reads wait for outcomes: %s', async (endpoint) => {
    const usual = new Release();
    await usual.apply(plan(campus()));
    for (const answer of [LIMITED, REFUSED]) {
      const release = new Release();
      const result = await release.apply(plan(campus()), { wrap: refusing(endpoint, answer) });
      expect([answer.status, result.result]).toEqual([answer.status, 'done']);
      expect(release.doubles()).toEqual([]);
      expect(release.lock()).toEqual(usual.lock());
    }
  });

  test.each(CAMPUS_WRITES)('is no licence to send again while nothing can be read: %s', async (endpoint) => {
    const release = new Release();
    release.service.delivery = 'never';
    await release.apply(plan(campus()), { wrap: refusing(endpoint, LIMITED, 5) });
    expect(release.doubles()).toEqual([]);
    expect((await release.apply(plan(campus()))).result).toBe('done');
    expect(release.doubles()).toEqual([]);
  });
});

describe('a refusal that hides nothing', () => {
  test('counts, though it could not be looked behind at once: the step is sent again when nothing shows an effect', async () => {
    const release = new Release();
    const resources = [auditContract('releases'), record('a')];
    fates(release, { 'audit-record.a': 'limited' });
    let blind = true;
    const result = await release.apply(plan(resources), {
      wrap: (ports) => ({
        ...ports,
        service: {
          write: (...sent) => ports.service.write(...sent),
          read: (request, settled) => {
            if (settled !== true || !blind) return ports.service.read(request, settled);
            blind = false;
            return Promise.resolve({ type: 'unreadable', message: 'no outcome yet' });
          },
        },
      }),
    });
    expect(result.result).toBe('done');
    expect([...release.state().attempts.keys()]).toEqual([
      'audit-contract.releases#1',
      'audit-record.a#1',
      'audit-record.a#2',
    ]);
    expect(release.doubles()).toEqual([]);
  });
});

describe('a sign of the effect of an attempt that counted as one without', () => {
  const plain = plan([auditContract('releases'), record('a', { envelope: 'none' })]);
  const CORE = abilities({ capabilities: ['projects'] });

  /** A success callback about the first attempt, while a step gets its token. */
  const toldWhile =
    (release: Release, opened: StepId) =>
    (ports: Ports): Ports => ({
      ...ports,
      inbox: {
        receive: (handler) => ports.inbox.receive(handler),
        open: async (step) => {
          const address = await ports.inbox.open(step);
          const told = { status: 'success', transactionHash: hash(1) };
          if (step === opened) await release.service.inbox.deliver('audit-record.a#1', told);
          return address;
        },
      },
    });

  test('keeps the next from being sent until just before its first byte', async () => {
    const release = new Release(CORE, REMOTE_PACE);
    fates(release, { 'audit-record.a#1': 'limited' });
    const result = await release.apply(plain, { wrap: toldWhile(release, 'audit-record.a#2') });
    expect(result.result).toBe('undecided');
    expect([...release.state().attempts.keys()]).toEqual(['audit-contract.releases#1', 'audit-record.a#1']);
    expect(release.service.sent).toHaveLength(2);
  });

  test('keeps it from being sent a third time when what was sent in its place had no effect', async () => {
    const release = new Release(CORE, REMOTE_PACE);
    fates(release, { 'audit-record.a#1': 'limited', 'audit-record.a#2': 'reverted' });
    const wrap = (ports: Ports): Ports => ({
      ...ports,
      service: {
        read: (request, settled) => ports.service.read(request, settled),
        write: async (request, url, step) => {
          const answer = await ports.service.write(request, url, step);
          const told = { status: 'success', transactionHash: hash(1) };
          if (step === 'audit-record.a#2') await release.service.inbox.deliver('audit-record.a#1', told);
          return answer;
        },
      },
    });
    const first = await release.apply(plain, { wrap });
    expect(release.ends(first)['audit-record.a']).toBe('failed');
    expect((await release.apply(plain)).result).toBe('undecided');
    expect(release.service.sent).toHaveLength(3);
    expect(release.state().attempts.get('audit-record.a#1')?.contradicted).toBe('duplicate');
  });

  test('is left to a person when what was sent in its place made a part: what is locked stays, nothing more is sent', async () => {
    const release = new Release();
    const pair = ['contract.core.Registry', 'contract.core.Token'] as const;
    const params = { registry: addressPlaceholder(pair[0]), cap: '1000' };
    const contracts = [contract('Registry'), contract('Token', params), deployment(pair)];
    const batch = plan([project(), version(), ...contracts]);
    fates(release, { 'deployment.core#1': 'limited', 'deployment.core#2': 'reverted' });
    const told = {
      status: 'Completed',
      deployment_id: 'registry_0',
      deployed_contract_addresses: [
        { sc_artifact_id: 11, contract_address: address(1) },
        { sc_artifact_id: 12, contract_address: address(2) },
      ],
    };
    const wrap = (ports: Ports): Ports => ({
      ...ports,
      service: {
        read: (request, settled) => ports.service.read(request, settled),
        write: async (request, url, step) => {
          const answer = await ports.service.write(request, url, step);
          if (step === 'deployment.core#2') await release.service.inbox.deliver('deployment.core#1', told);
          return answer;
        },
      },
    });
    await release.apply(batch, { wrap });
    const locked = release.lock();
    expect(locked).toHaveProperty(['contract.core.Registry']);
    const sent = release.service.sent.length;
    const second = await release.apply(batch);
    expect(release.ends(second)).toMatchObject({ 'contract.core.Token': 'failed' });
    expect(release.lock()).toEqual(locked);
    expect(release.service.sent).toHaveLength(sent);
    expect(release.state().attempts.get('deployment.core#1')?.contradicted).toBe('duplicate');
  });
});
