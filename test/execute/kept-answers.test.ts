import { describe, expect, test } from 'vitest';
import { kindOf } from '../../src/model/id.js';
import { idText } from '../../src/kinds/listing.js';
import { localPace } from '../../src/execute/pace.js';
import type { Ports, WriteAnswer } from '../../src/execute/ports.js';
import {
  abilities,
  auditContract,
  category,
  certificate,
  certificateContract,
  contract,
  deployment,
  plan,
  project,
  record,
  REGISTRAR,
  tag,
  version,
  wallet,
} from '../support/builders.js';
import { Release } from '../support/releasing.js';

/** At a service whose answers bear no signs, so that nothing there proves absence. */
function aRelease(able = abilities()): Release {
  return new Release(able, { ...SIGNED, unsigned: true });
}

const SIGNED = localPace(5_000);

const PAIRS = [
  wallet('alice'),
  wallet('bob'),
  category('one'),
  category('two'),
  tag('one'),
  tag('two'),
  auditContract('releases'),
  record('one'),
  record('two'),
  certificateContract('diplomas'),
  certificate('S-1', { to: REGISTRAR }),
  certificate('S-2'),
];
const WRITES = [
  'wallet.create-user',
  'audit.category.create',
  'audit.tag.create',
  'audit.record.create',
  'certificate.mint',
];

/** A middlebox that answers the second request to an endpoint with its answer to the first, whether it forwards it or not. */
function keepingAnswers(endpoint: string, forwards: boolean): (ports: Ports) => Ports {
  const answers: WriteAnswer[] = [];
  return writingBy(endpoint, async (number, send) => {
    const [kept] = answers;
    if (number !== 2 || kept === undefined) {
      const answer = await send();
      answers.push(answer);
      return answer;
    }
    if (forwards) await send();
    return kept;
  });
}

/** One that answers the second of two requests under way with the answer to the first, and before that. */
function collapsing(endpoint: string, forwards: boolean): (ports: Ports) => Ports {
  let first: Promise<WriteAnswer> | undefined;
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (tell = resolve));
  return writingBy(endpoint, async (number, send) => {
    if (number > 2) return send();
    if (first === undefined) {
      first = send();
      await told;
      return first;
    }
    const answer = await first;
    if (forwards) await send();
    queueMicrotask(tell);
    return answer;
  });
}

function writingBy(
  endpoint: string,
  answer: (number: number, send: () => Promise<WriteAnswer>) => Promise<WriteAnswer>,
): (ports: Ports) => Ports {
  let count = 0;
  return (ports) => ({
    ...ports,
    service: {
      read: (...asked) => ports.service.read(...asked),
      write: (request, url, step) => {
        const send = () => ports.service.write(request, url, step);
        if (request.endpoint !== endpoint) return send();
        count += 1;
        return answer(count, send);
      },
    },
  });
}

describe('one answer to two requests', () => {
  const one = plan(PAIRS, { maxInFlight: 1 });

  test.each(WRITES)('is believed once; what the other made is found: %s', async (endpoint) => {
    const release = aRelease();
    expect(await release.apply(one, { wrap: keepingAnswers(endpoint, true) })).toMatchObject({
      result: 'done',
    });
    expect(release.doubles()).toEqual([]);
    expectNamesOnce(release);
  });

  test.each(WRITES)('confirms nothing of a request that it kept from the service: %s', async (endpoint) => {
    const release = aRelease();
    const result = await release.apply(one, { wrap: keepingAnswers(endpoint, false) });
    expect(result.result).toBe('undecided');
    expect(result.steps.filter(({ end }) => end === 'undecided')).toHaveLength(1);
    expect((await release.apply(one)).result).toBe('undecided');
    expect(release.doubles()).toEqual([]);
    expectNamesOnce(release);
  });

  test.each(WRITES)('confirms nothing twice where nothing can be looked at: %s', async (endpoint) => {
    const release = aRelease(abilities({ capabilities: [] }));
    await release.apply(one, { wrap: keepingAnswers(endpoint, true) });
    expect(release.doubles()).toEqual([]);
    expectNamesOnce(release);
  });

  test.each(WRITES.flatMap((endpoint) => [true, false].map((forwards) => [endpoint, forwards] as const)))(
    'sends nothing twice when the wrong one heard it first: %s, forwarded: %s',
    async (endpoint, forwards) => {
      for (const callbacks of [true, false]) {
        const release = aRelease(abilities({ callbacks }));
        release.service.delivery = callbacks ? release.service.delivery : 'never';
        const any = plan(PAIRS, { maxInFlight: 32, sendOrder: 'any' });
        await release.apply(any, { wrap: collapsing(endpoint, forwards) });
        await release.apply(any, { pace: callbacks ? release.pace : SIGNED });
        expect(release.doubles()).toEqual([]);
        expectNamesOnce(release);
      }
    },
  );

  test.each(['late', 'lost'] as const)(
    'proves nothing by what a third request made, whose answer is %s',
    async (third) => {
      const release = aRelease();
      release.service.delivery = 'never';
      const rows = ['S-1', 'S-2', 'S-3'].map((key) => certificate(key, { to: REGISTRAR, marker: 'none' }));
      let kept: WriteAnswer | undefined;
      const wrap = writingBy('certificate.mint', async (number, send) => {
        if (number === 1) return (kept = await send());
        if (number === 2 && kept !== undefined) return kept;
        const answer = await send();
        if (number === 3) await release.clock.sleep(3_000);
        return number === 3 && third === 'lost' ? { outcome: 'ambiguous', message: 'lost' } : answer;
      });
      const resources = plan([certificateContract('diplomas'), ...rows], { maxInFlight: 4 });
      expect((await release.apply(resources, { wrap })).result).toBe('undecided');
      await release.apply(resources);
      expect(release.doubles()).toEqual([]);
      expectNamesOnce(release);
    },
  );

  test.each(WRITES)(
    'is believed by none but the one that made it, also when that never heard it: %s',
    async (endpoint) => {
      for (const forwards of [true, false]) {
        const release = aRelease();
        let kept: WriteAnswer | undefined;
        const wrap = writingBy(endpoint, async (number, send) => {
          if (number === 1) {
            kept = await send();
            return { outcome: 'ambiguous', message: 'lost' };
          }
          if (number > 2 || kept === undefined) return send();
          if (forwards) await send();
          return kept;
        });
        const result = await release.apply(one, { wrap });
        expect([forwards, result.result]).toEqual([forwards, forwards ? 'done' : 'undecided']);
        expect(release.doubles()).toEqual([]);
        expectNamesOnce(release);
      }
    },
  );

  test.each([true, false])('makes no deployment of another one, forwarded: %s', async (forwards) => {
    const side = contract('Vault', {}, { deployment: 'deployment.side' });
    const contracts = [contract('Registry'), deployment(['contract.core.Registry']), side];
    const resources = plan([project(), version(), ...contracts], { maxInFlight: 1 });
    const release = aRelease();
    const wrap = keepingAnswers('version.deploy', forwards);
    const { result } = await release.apply(resources, { wrap });
    expect(result).toBe(forwards ? 'done' : 'undecided');
    await release.apply(resources);
    expect(release.doubles()).toEqual([]);
    expectNamesOnce(release);
  });

  test('makes no version of another one', async () => {
    const resources = plan([project(), version('1.0.0'), version('2.0.0')], { maxInFlight: 1 });
    for (const forwards of [true, false]) {
      const release = aRelease();
      const wrap = keepingAnswers('version.create', forwards);
      expect((await release.apply(resources, { wrap })).result).toBe('undecided');
      expect(release.doubles()).toEqual([]);
      expect(Object.keys(release.lock())).toEqual(['project.registry', 'version.registry@1.0.0']);
    }
  });

  test('is not believed of what a replacement made, when what it replaces was told the same', async () => {
    const release = aRelease();
    const resources = plan([wallet('alice')]);
    let kept: WriteAnswer | undefined;
    const answering = async (_number: number, send: () => Promise<WriteAnswer>) => (kept ??= await send());
    await release.apply(resources, { wrap: writingBy('wallet.create-user', answering) });
    const replacing = { wrap: writingBy('wallet.create-user', answering), replaces: ['wallet.alice'] };
    expect((await release.apply(resources, replacing)).result).toBe('undecided');
    expect(release.doubles()).toEqual([]);
  });
});

/** No two things in the lock are one. */
function expectNamesOnce(release: Release): void {
  const entries = [...(release.state().lock?.entries.values() ?? [])];
  const names = entries.flatMap(({ id, outputs }) =>
    ['address', 'transaction', 'id'].flatMap((key) => {
      const name = idText(outputs[key]);
      return name === undefined ? [] : [`${kindOf(id)} ${name}`];
    }),
  );
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names).size).toBe(names.length);
}
