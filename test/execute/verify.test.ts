import { describe, expect, test } from 'vitest';
import { bookkeeping } from '../../src/execute/bookkeeping.js';
import { compareLock } from '../../src/execute/verify.js';
import type { ResourceId } from '../../src/model/id.js';
import type { Observation } from '../../src/kinds/kind.js';
import { category, plan, project } from '../support/builders.js';
import { compared, lineage } from '../support/locked.js';

const STATE = lineage({
  locked: { 'category.a': [{ name: 'a' }, { id: 1 }], 'category.b': [{ name: 'b' }, { id: 2 }] },
});
const PLAN = plan([category('a'), category('b')]);

function verified(sights: Readonly<Record<ResourceId, Observation>>): ReturnType<typeof compareLock> {
  return compareLock(PLAN, STATE, new Map(Object.entries(sights) as [ResourceId, Observation][]));
}

describe('verification', () => {
  test('sorts every locked resource into match, mismatch or unreadable', () => {
    expect(
      verified({
        'category.a': { sight: 'present', inputs: { name: 'a' } },
        'category.b': { sight: 'absent' },
      }),
    ).toMatchObject({
      matches: ['category.a'],
      mismatches: [{ id: 'category.b', fields: [] }],
      unreadable: [],
    });
    const half = verified({ 'category.a': { sight: 'unreadable', unreadable: 'capability lists' } });
    expect(half.unreadable.map(({ id }) => id)).toEqual(['category.a', 'category.b']);
    expect(half.matches).toEqual([]);
  });

  test('names the fields that the platform shows with other values', () => {
    const { mismatches } = verified({ 'category.a': { sight: 'present', inputs: { name: 'other' } } });
    expect(mismatches).toMatchObject([
      { id: 'category.a', fields: [{ path: 'name', before: 'a', after: 'other' }] },
    ]);
  });
});

describe('bookkeeping', () => {
  test('is an event for each resource that is moved, adopted or forgotten, and for nothing else', () => {
    const moving = plan([{ ...category('a'), id: 'category.c' }, project()], {
      moved: { 'category.a': 'category.c' },
    });
    const observations = new Map([
      ['project.registry', { sight: 'present', outputs: { slug: 'registry' }, inputs: {} }],
    ] as const) as ReadonlyMap<ResourceId, Observation>;
    const changeSet = compared(
      moving,
      { locked: { 'category.a': [{ name: 'a' }, {}], 'category.b': [{}, {}] } },
      { observations, forget: true },
    );
    expect(bookkeeping(changeSet, STATE)).toEqual([
      { type: 'resource-moved', from: 'category.a', to: 'category.c' },
      {
        type: 'resource-adopted',
        id: 'project.registry',
        outputs: { slug: 'registry' },
        inputs: { slug: 'registry' },
        grade: 'B',
      },
      { type: 'resource-forgotten', id: 'category.b' },
    ]);
  });
});
