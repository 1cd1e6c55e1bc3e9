import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIONS, type Change } from '../../src/model/change.js';
import { countChangeSet } from '../../src/model/counts.js';
import { resourcesText } from '../../src/report/counts-text.js';
import { change, changeSet } from '../report/samples.js';

const anyChange = fc
  .record({
    action: fc.constantFrom(...ACTIONS),
    flags: fc.record({
      adopt: fc.boolean(),
      moved: fc.boolean(),
      undeclared: fc.boolean(),
      existing: fc.boolean(),
    }),
  })
  .map(({ action, flags }): Partial<Change> => ({
    action,
    ...(flags.adopt && { adopt: { id: 1 } }),
    ...(flags.moved && { movedFrom: 'tag.old' as const }),
    ...(flags.undeclared && { undeclared: true as const }),
    ...(flags.existing && { existing: true as const }),
  }));

describe('the counts of any change set', () => {
  it('count every change under one word, and both sums hold', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 60 }), (parts) => {
        const set = changeSet(parts.map((part, index) => change(`tag.t${index}`, part)));
        const { resources, changes, steps, ...each } = countChangeSet(set);
        const made = each.create + each.update + each.deploy + each.replace + each.adopt + each.move;
        expect(resources).toBe(made + each.blocked + each.unchanged);
        expect(changes).toBe(made + each.forget);
        expect(Object.values(each).reduce((sum, count) => sum + count, 0)).toBe(parts.length);
        expect(steps).toBe(set.steps.length);
      }),
    );
  });

  it('say numbers that add up to the resources that they name', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { minLength: 1, maxLength: 60 }), fc.boolean(), (parts, partial) => {
        const counts = countChangeSet(changeSet(parts.map((part, index) => change(`tag.t${index}`, part))));
        const text = resourcesText(counts, partial);
        fc.pre(counts.resources > 0);
        const [, total, listed] = /^(\d+) (?:selected )?resources?(?:: ([^;]*)| unchanged)/.exec(text) ?? [];
        const sum = listed?.split(', ').reduce((before, part) => before + Number(part.split(' ')[0]), 0);
        expect([Number(total), sum ?? Number(total)]).toEqual([counts.resources, counts.resources]);
      }),
    );
  });

  it('tell what exists already, and what only the lock holds, apart from the resources of the release', () => {
    const set = changeSet([
      change('wallet.given', { action: 'none', existing: true }),
      change('tag.found', { action: 'none', adopt: { id: 1 } }),
      change('tag.gone', { action: 'none', undeclared: true }),
      change('tag.left', { action: 'forget', undeclared: true }),
      change('tag.renamed', { action: 'none', movedFrom: 'tag.old' }),
    ]);
    expect(countChangeSet(set)).toMatchObject({
      resources: 2,
      changes: 3,
      existing: 1,
      leftBehind: 1,
      adopt: 1,
      move: 1,
    });
    expect(resourcesText(countChangeSet(set), false)).toBe(
      '2 resources: 1 to adopt, 1 to move; 1 to forget; 1 no longer in the plan',
    );
  });
});
