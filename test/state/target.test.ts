import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf, type Digest } from '../../src/model/canonical.js';
import type { KeyAccepted, Target } from '../../src/state/event.js';
import { formatLock } from '../../src/state/lockfile-text.js';
import { parseLock } from '../../src/state/lockfile.js';
import { LineageState } from '../../src/state/project.js';
import { compareTargets, keysOf, withKey } from '../../src/state/target.js';

const [FIRST, SECOND, THIRD] = [digestOf(1), digestOf(2), digestOf(3)] as const;
const AT = '2026-03-01T09:00:00.000Z';
const PINNED: Target = { origin: 'https://a.example', client: FIRST };
const NAMED: Target = { ...PINNED, organisation: 'p/one' };

function accepted(client: Digest, organisation?: string): KeyAccepted {
  const named = organisation === undefined ? {} : { organisation };
  return { type: 'key-accepted', at: AT, client, by: 'reads', ...named };
}

describe('a target in use', () => {
  test('is the same by its key, or by its organisation; else the key has to be proven, or it is another one', () => {
    const cases: readonly (readonly [Target, Target, string])[] = [
      [PINNED, PINNED, 'same'],
      [PINNED, { ...PINNED, client: SECOND }, 'key'],
      [withKey(PINNED, accepted(SECOND)), { ...PINNED, client: SECOND }, 'same'],
      [NAMED, { ...NAMED, client: SECOND }, 'same'],
      [NAMED, { ...NAMED, client: SECOND, organisation: 'p/two' }, 'other'],
      // The key is known, and yet the service says that it is another's.
      [NAMED, { ...NAMED, organisation: 'p/two' }, 'other'],
      [NAMED, { ...PINNED, client: SECOND }, 'key'],
      [PINNED, { ...NAMED, client: SECOND }, 'key'],
      [PINNED, { ...PINNED, origin: 'https://b.example' }, 'other'],
      [{ ...PINNED, chain: '1:0xa' }, { ...PINNED, chain: '1:0xb' }, 'other'],
      [{ ...PINNED, chain: '1:0xa' }, PINNED, 'same'],
      [{ origin: 'local', client: FIRST }, { origin: 'local', client: SECOND }, 'other'],
    ];
    for (const [pinned, used, how] of cases)
      expect([used, compareTargets(pinned, used)]).toEqual([used, how]);
  });
});

describe('an accepted key', () => {
  test('is kept once, beside the first one, and with its organisation', () => {
    const twice = withKey(withKey(PINNED, accepted(SECOND)), accepted(SECOND, 'p/one'));
    expect(twice).toEqual({ ...NAMED, keys: [SECOND] });
    expect(keysOf(withKey(twice, accepted(THIRD)))).toEqual([FIRST, SECOND, THIRD]);
    expect(withKey(PINNED, accepted(FIRST))).toEqual(PINNED);
  });

  test('is one of at most 33, of which the first stays and the oldest of the others go', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 120 }), (numbers) => {
        const target = numbers.reduce((sofar, number) => withKey(sofar, accepted(digestOf(number))), PINNED);
        expect(keysOf(target).length).toBeLessThanOrEqual(33);
        expect(keysOf(target)[0]).toBe(FIRST);
        expect(new Set(keysOf(target)).size).toBe(keysOf(target).length);
        const last = numbers.at(-1);
        if (last !== undefined) expect(keysOf(target)).toContain(digestOf(last));
      }),
    );
  });

  test('stands in journal and lockfile, and changes no serial: a saved change set stays as good as it was', () => {
    const started = { type: 'lineage-started', at: AT, version: 1, lineage: 'l', target: PINNED } as const;
    const state = new LineageState([started, accepted(SECOND, 'p/one')]);
    const { lock } = state;
    if (lock === undefined) throw new Error('a lineage has a lock');
    expect(lock).toMatchObject({ serial: 0, target: { ...NAMED, keys: [SECOND] } });
    const { main, batches } = formatLock(lock);
    expect(parseLock(main, batches).target).toEqual(lock.target);
  });
});
