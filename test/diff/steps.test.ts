import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlannedStep } from '../../src/model/change.js';
import type { ResourceId } from '../../src/model/id.js';
import type { AnyResource } from '../../src/model/resource.js';
import { addressPlaceholder } from '../../src/model/value.js';
import type { Abilities } from '../../src/kinds/kind.js';
import {
  abilities,
  auditContract,
  category,
  certificate,
  contract,
  deployment,
  plan,
  project,
  version,
} from '../support/builders.js';
import { compared, type Held } from '../support/locked.js';

function steps(
  resources: readonly AnyResource[],
  held: Held = {},
  here: Abilities = abilities(),
): readonly PlannedStep[] {
  return compared(plan(resources), held, { abilities: here }).steps;
}

const REGISTRY = contract('Registry');
const TOKEN = contract('Token', { registry: addressPlaceholder(REGISTRY.id) });
const BASE = [project(), version()];

/** Resources in plan order, each needing some of those before it; some of them share a deployment. */
const PLANS = fc
  .array(fc.tuple(fc.constantFrom('category', 'core', 'other'), fc.array(fc.nat(), { maxLength: 3 })), {
    maxLength: 12,
  })
  .map((shapes) => {
    const made: AnyResource[] = [...BASE];
    for (const [index, [shape, picks]] of shapes.entries()) {
      const earlier = made.filter(({ kind }) => kind === 'contract');
      const needs = picks.flatMap((pick) => earlier[pick % earlier.length]?.id ?? []);
      if (shape === 'category') {
        made.push({ ...category(`c${index}`), dependsOn: needs });
      } else {
        const params = Object.fromEntries(needs.map((id, at) => [`p${at}`, addressPlaceholder(id)]));
        made.push(contract(`C${index}`, params, { deployment: `deployment.${shape}` }));
      }
    }
    return made;
  });

describe('the steps of a plan', () => {
  test('make every resource once, after what it needs, the same each time', () => {
    fc.assert(
      fc.property(PLANS, (resources) => {
        const planned = steps(resources);
        expect(planned).toEqual(steps(resources));
        const done = new Set<ResourceId>();
        for (const step of planned) {
          for (const id of step.dependsOn) expect(done).toContain(id);
          for (const id of step.resources) {
            expect(done).not.toContain(id);
            done.add(id);
          }
        }
        expect(done).toEqual(new Set(resources.map(({ id }) => id)));
      }),
    );
  });

  test('keep plan order among what does not need each other', () => {
    const labels = ['c', 'a', 'b'].map((name) => category(name));
    expect(steps(labels).map(({ id }) => id)).toEqual(['category.c', 'category.a', 'category.b']);
  });

  test('name a shared request by its deployment', () => {
    const [, , step] = steps([...BASE, REGISTRY, TOKEN]);
    expect(step).toMatchObject({
      id: 'deployment.core',
      resources: [REGISTRY.id, TOKEN.id],
      operation: 'contract.deploy',
      dependsOn: ['version.registry@1.0.0'],
    });
  });

  test('break a request up when steps would wait for each other through it', () => {
    const between = contract(
      'Between',
      { a: addressPlaceholder(REGISTRY.id) },
      { deployment: 'deployment.other' },
    );
    const last = contract('Last', { b: addressPlaceholder(between.id) });
    expect(
      steps([...BASE, REGISTRY, between, last])
        .map(({ id }) => id)
        .slice(2),
    ).toEqual([REGISTRY.id, between.id, last.id]);
  });

  test('go one by one where the plan says single', () => {
    const group = deployment([REGISTRY.id, TOKEN.id], 'single');
    expect(
      steps([...BASE, REGISTRY, TOKEN, group])
        .slice(2)
        .map(({ id }) => id),
    ).toEqual([REGISTRY.id, TOKEN.id]);
  });

  test('let a deployment go alone in its lane where only a difference of reads can prove it', () => {
    const [, , free] = steps([...BASE, REGISTRY]);
    expect(free).not.toHaveProperty('exclusive');
    for (const here of [abilities({ callbacks: false }), abilities({ capabilities: ['projects'] })])
      expect(steps([...BASE, REGISTRY], {}, here)[2]).toMatchObject({ exclusive: true });
  });

  test('put certificates of one owner into one lane', () => {
    const rows = [certificate('a', { contract: '0x1' }), certificate('b', { contract: '0x1' })];
    expect(new Set(steps(rows).map(({ lane }) => lane)).size).toBe(1);
  });
});

describe('an open attempt', () => {
  const batch: Held = { open: { 'deployment.core#1': ['contract.deploy', REGISTRY.id, TOKEN.id] } };

  test('keeps the resources that it was sent with, whatever would be grouped now', () => {
    const vault = contract('Vault');
    const [, , first, second] = steps([...BASE, REGISTRY, TOKEN, vault], batch);
    expect(first).toMatchObject({ id: 'deployment.core', resources: [REGISTRY.id, TOKEN.id] });
    expect(second).toMatchObject({ id: vault.id, resources: [vault.id] });
  });

  test('never closes a circle, because it waits for nothing', () => {
    const between = contract(
      'Between',
      { a: addressPlaceholder(REGISTRY.id) },
      { deployment: 'deployment.other' },
    );
    const last = contract('Token', { b: addressPlaceholder(between.id) });
    const planned = steps([...BASE, REGISTRY, between, last], batch);
    expect(planned.map(({ id }) => id)).toContain('deployment.core');
    expect(planned).toHaveLength(4);
  });

  test('is not grouped with a new resource', () => {
    const open: Held = { open: { 'audit-contract.a#1': ['audit-contract.create', 'audit-contract.a'] } };
    const planned = steps([auditContract('a'), auditContract('b')], open);
    expect(planned.map(({ resources }) => resources)).toEqual([['audit-contract.a'], ['audit-contract.b']]);
  });
});
