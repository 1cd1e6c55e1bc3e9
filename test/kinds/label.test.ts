import { describe, expect, test } from 'vitest';
import { category as categoryKind, createCategory } from '../../src/kinds/category.js';
import type { Sighting } from '../../src/kinds/kind.js';
import { createProject } from '../../src/kinds/project.js';
import { createTag } from '../../src/kinds/tag.js';
import { isToldApart } from '../../src/kinds/transaction.js';
import { createWallet } from '../../src/kinds/wallet.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { AnyResource, Resource } from '../../src/model/resource.js';
import type { Operation } from '../../src/kinds/operation.js';
import { abilities, address, category, known, project, stepView, tag, wallet } from '../support/builders.js';
import { ABSENT, found, judged, written } from '../support/judging.js';

interface Case {
  readonly operation: Operation;
  readonly resource: AnyResource;
  readonly list: string;
  readonly detail?: string;
  /** The n-th thing as the service lists it, named like the resource unless told. */
  readonly item: (n: number, name?: string) => JsonObject;
  readonly answer: Json;
  readonly ids: JsonObject;
}

const CASES: Readonly<Record<string, Case>> = {
  category: {
    operation: createCategory,
    resource: category('release'),
    list: 'audit.category.list',
    item: (id, name = 'release') => ({ id, name }),
    answer: { id: 7, name: 'release' },
    ids: { id: 7 },
  },
  tag: {
    operation: createTag,
    resource: tag('v1'),
    list: 'audit.tag.list',
    item: (id, name = 'v1') => ({ id, name }),
    answer: { id: 7 },
    ids: { id: 7 },
  },
  wallet: {
    operation: createWallet,
    resource: wallet('bob'),
    list: 'wallet.list',
    detail: 'wallet.detail',
    item: (n, name = 'bob') => ({ address: address(n), name }),
    answer: { wallet: { wallet_address: address(7) } },
    ids: { address: address(7) },
  },
  project: {
    operation: createProject,
    resource: project('registry'),
    list: 'project.list',
    detail: 'project.detail',
    item: (n, name = 'registry') => ({ slug: `registry-${n}`, project_name: name }),
    answer: { slug: 'registry-7' },
    ids: { slug: 'registry-7' },
  },
};

const ALL = abilities();

describe.each(Object.entries(CASES))(
  'a %s',
  (_name, { operation, resource, list, detail, item, answer, ids }) => {
    const resources = [resource.id];
    const lost = (before: readonly JsonObject[] | undefined): ReturnType<typeof known> => {
      const answers = before === undefined ? {} : { [list]: found(before) };
      const { context } = written(operation, stepView([resource]), answers);
      return known({ resources, context, outcome: 'ambiguous', person: 'bob' });
    };

    test('is what the answer names; an answer that names nothing is unusable', () => {
      expect(operation.accept(answer, {})).toEqual(ids);
      for (const empty of [{}, null, [], { id: '7' }, { wallet: {} }])
        expect(operation.accept(empty, {})).toBeUndefined();
    });

    test('is graded by whether the platform shows it', () => {
      const accepted = { ...lost([]), outcome: 'accepted', ids } as const;
      const shown = {
        [list]: found([{ ...item(7), ...ids }]),
        ...(detail !== undefined && { [detail]: found(item(7)) }),
      };
      expect(judged(operation, accepted, ALL, shown)).toMatchObject({ type: 'confirmed', grade: 'B' });
      const hidden = { [list]: found([]), ...(detail !== undefined && { [detail]: ABSENT }) };
      const verdict = judged(operation, accepted, ALL, hidden);
      expect(verdict).toEqual({ type: 'confirmed', grade: 'D', outputs: { [resource.id]: ids } });
    });

    test('whose answer was lost is the one new thing of its name', () => {
      const shown = { [list]: found([item(1), item(2), item(3, 'another')]) };
      expect(judged(operation, lost([item(1)]), ALL, shown)).toMatchObject({ type: 'confirmed', grade: 'B' });
      expect(judged(operation, lost([item(1), item(2)]), ALL, shown)).toMatchObject({ type: 'wait' });
    });

    test('whose answer was lost is not chosen among several, nor taken from another step', () => {
      const shown = { [list]: found([item(1), item(2)]) };
      expect(judged(operation, lost([]), ALL, shown)).toMatchObject({ type: 'wait' });
      const { id, address: at, slug } = item(1);
      const names = new Set([id, at, slug].map((name) => JSON.stringify(name)?.replaceAll('"', '')));
      const other = { ...lost([]), isTaken: (name: string) => names.has(name) };
      expect(judged(operation, other, ALL, shown)).toMatchObject({ type: 'confirmed' });
    });

    test('whose answer was lost is not found when nobody could look before', () => {
      expect(judged(operation, lost(undefined), ALL, { [list]: found([item(1)]) })).toMatchObject({
        type: 'wait',
      });
    });
  },
);

test('a project is not what an answer or a read tells of another project', () => {
  const { context } = written(createProject, stepView([project('registry')]), { 'project.list': found([]) });
  expect(createProject.accept({ slug: 'other-1', project_name: 'other' }, context)).toBeUndefined();
  const accepted = known({ resources: ['project.registry'], context, ids: { slug: 'other-1' } });
  const detail = { 'project.detail': found({ slug: 'other-1', project_name: 'other' }) };
  expect(judged(createProject, accepted, ALL, detail)).toEqual({ type: 'wait' });
});

describe('a wallet whose answer was lost', () => {
  test('is left to a person where the plan at hand does not say for whom it is', () => {
    const { context } = written(createWallet, stepView([wallet('bob')]), { 'wallet.list': found([]) });
    const lost = known({ resources: ['wallet.bob'], context, outcome: 'ambiguous' });
    const shown = { 'wallet.list': found([{ address: address(1), name: 'bob' }]) };
    expect(judged(createWallet, lost, ALL, shown)).toEqual({ type: 'wait', shown: true });
  });
});

test('two wallets under way are told apart by the people whom they are for, where both are known', () => {
  const context = { before: [] };
  const beside = (person: string | undefined, rival: string | undefined): boolean =>
    isToldApart(
      known({
        resources: ['wallet.bob'],
        context,
        person,
        rivals: () => [{ context, person: rival, open: true }],
      }),
    );
  expect(beside('bob', 'eve')).toBe(true);
  expect([beside('bob', 'bob'), beside('bob', undefined), beside(undefined, 'eve')]).toEqual([
    false,
    false,
    false,
  ]);
});

describe('the request for a wallet', () => {
  test('carries personal data as marks and keeps none of it', () => {
    const { request, context, inputs } = written(createWallet, stepView([wallet('bob')]));
    expect(request.body).toMatchObject({
      email: { $secret: { env: 'EMAIL' } },
      ic: { $personal: '900101-14-5678' },
    });
    expect(request.body).toMatchObject({ name: { $personal: 'bob' } });
    for (const kept of ['900101', '"bob"']) expect(JSON.stringify([context, inputs])).not.toContain(kept);
    expect(context).toEqual({ before: null });
  });
});

describe('a label that is not in the lock', () => {
  const kind = categoryKind;
  const sighting = (
    items: readonly JsonObject[],
    of: Partial<Sighting<'category'>> = {},
  ): Sighting<'category'> => ({
    resource: category('release') as Resource<'category'>,
    entry: undefined,
    knowledge: { abilities: ALL, resource: () => undefined, outputs: () => undefined },
    answers: [found(items)],
    ...of,
  });

  test('is looked for where lists can be read, and is unreadable elsewhere', () => {
    expect(kind.observe(sighting([], { answers: [] }))).toEqual([
      { type: 'service', endpoint: 'audit.category.list' },
    ]);
    const knowledge = { ...sighting([]).knowledge, abilities: abilities({ capabilities: [] }) };
    expect(kind.observe(sighting([], { answers: [], knowledge }))).toEqual([]);
    expect(kind.seen(sighting([], { answers: [] }))).toMatchObject({ sight: 'unreadable' });
  });

  test('is the only one in use that bears its name', () => {
    const others = [
      { id: 1, name: 'Release' },
      { id: 2, name: 'release', is_active: 0 },
      { id: 3, name: 'release ', is_active: 1 },
    ];
    expect(kind.seen(sighting(others))).toEqual({ sight: 'absent' });
    expect(kind.seen(sighting([...others, { id: 9, name: 'release', is_active: 1 }]))).toEqual({
      sight: 'present',
      outputs: { id: 9 },
      inputs: { name: 'release' },
    });
  });
});
