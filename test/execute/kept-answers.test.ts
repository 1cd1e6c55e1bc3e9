import { describe, expect, test } from 'vitest';
import { kindOf, type ResourceId } from '../../src/model/id.js';
import { member } from '../../src/model/json.js';
import { idText } from '../../src/kinds/listing.js';
import type { Ports, WriteAnswer } from '../../src/execute/ports.js';
import {
  abilities,
  auditContract,
  category,
  certificate,
  certificateContract,
  plan,
  record,
  REGISTRAR,
  tag,
  wallet,
} from '../support/builders.js';
import { Release } from '../support/releasing.js';

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

/** A middlebox that gives its first answer from an endpoint once more, to the second request, which it forwards or not. */
function keepingAnswers(endpoint: string, forwards: boolean): (ports: Ports) => Ports {
  let kept: WriteAnswer | undefined;
  let given = false;
  return (ports) => ({
    ...ports,
    service: {
      read: (...asked) => ports.service.read(...asked),
      write: async (request, url, step) => {
        const send = () => ports.service.write(request, url, step);
        if (request.endpoint !== endpoint || given) return send();
        if (kept === undefined) return (kept = await send());
        given = true;
        if (forwards) await send();
        return kept;
      },
    },
  });
}

describe('an answer that something on the way gives to another request', () => {
  test.each(WRITES)('proves nothing about that request: %s', async (endpoint) => {
    const usual = new Release();
    await usual.apply(plan(PAIRS, { maxInFlight: 1 }));
    for (const forwards of [true, false]) {
      const release = new Release();
      const wrap = keepingAnswers(endpoint, forwards);
      const result = await release.apply(plan(PAIRS, { maxInFlight: 1 }), { wrap });
      expect([forwards, result.result]).toEqual([forwards, 'done']);
      expect(release.doubles()).toEqual([]);
      expect([...release.service.effects]).toHaveLength(usual.service.effects.size);
      expect(new Set(names(release)).size).toBe(names(release).length);
    }
  });

  test.each(WRITES)('confirms nothing where the request cannot be looked behind: %s', async (endpoint) => {
    const release = new Release(abilities({ capabilities: [] }));
    const wrap = keepingAnswers(endpoint, true);
    const result = await release.apply(plan(PAIRS, { maxInFlight: 1 }), { wrap });
    expect(new Set(names(release)).size).toBe(names(release).length);
    expect(release.doubles()).toEqual([]);
    expect(['done', 'undecided']).toContain(result.result);
  });
});

/** What the lock knows things by, with their kind. */
function names(release: Release): readonly string[] {
  return Object.entries(release.lock()).flatMap(([id, entry]) =>
    ['address', 'transaction', 'id'].flatMap((key) => {
      const name = idText(member(member(entry, 'outputs'), key));
      return name === undefined ? [] : [`${kindOf(id as ResourceId)} ${name}`];
    }),
  );
}
