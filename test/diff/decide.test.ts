import { describe, expect, test } from 'vitest';
import { decide, type Situation } from '../../src/diff/decide.js';
import type { Observation } from '../../src/kinds/kind.js';
import { kindNamed } from '../../src/kinds/registry.js';
import { isOpen } from '../../src/state/attempt.js';
import type { JsonObject } from '../../src/model/json.js';
import type { LockEntry } from '../../src/state/lock.js';
import type { AnyResource } from '../../src/model/resource.js';
import {
  abilities,
  auditContract,
  category,
  certificateContract,
  contract,
  project,
  resource,
  version,
  wallet,
} from '../support/builders.js';
import { lineage, type Held } from '../support/locked.js';

const TOKEN = contract('Token', { cap: '1' });

function entryOf(item: AnyResource, inputs = kindNamed(item.kind).comparable(item)): LockEntry {
  const { lock } = lineage({
    locked: { [item.id]: [inputs, { address: '0x1' }] } as unknown as NonNullable<Held['locked']>,
  });
  return lock!.entries.get(item.id)!;
}

function decided(over: Partial<Situation> & { readonly resource: AnyResource }): ReturnType<typeof decide> {
  return decide({
    entry: undefined,
    observation: { sight: 'not-asked' },
    abilities: abilities(),
    open: undefined,
    replace: false,
    stableAddress: () => undefined,
    ...over,
  });
}

const PRESENT: Observation = { sight: 'present', outputs: { slug: 'registry' }, inputs: {} };

describe('a resource that is not in the lock', () => {
  test('is taken into the lock when the platform has one of its name, and asks for a choice among several', () => {
    const observation = (answer: readonly JsonObject[]): Observation =>
      kindNamed('category').seen({
        resource: category('a'),
        entry: undefined,
        knowledge: { abilities: abilities(), resource: () => undefined, outputs: () => undefined },
        answers: [{ type: 'found', value: answer, source: 'read' }],
      });
    const one = { id: 3, name: 'a' };
    expect(decided({ resource: category('a'), observation: observation([one]) })).toMatchObject({
      action: 'none',
      adopt: { id: 3 },
    });
    const several = decided({
      resource: category('a'),
      observation: observation([one, { id: 7, name: 'a' }]),
    });
    expect(several).toMatchObject({ action: 'blocked', fix: expect.stringContaining('id: 3') as unknown });
    expect(several.adopt).toBeUndefined();
  });

  test('is blocked when the lockfile beside the plan holds it: it was made elsewhere', () => {
    expect(decided({ resource: TOKEN, stranger: true }).action).toBe('blocked');
    expect(decided({ resource: TOKEN, stranger: false }).action).toBe('deploy');
  });

  test('is made when the platform shows nothing, or has no read for it', () => {
    for (const sight of ['absent', 'unreadable', 'not-asked'] as const) {
      expect(decided({ resource: TOKEN, observation: { sight } }).action).toBe('deploy');
      expect(decided({ resource: category('a'), observation: { sight } })).toMatchObject({
        action: 'create',
        remote: sight,
      });
    }
    expect(decided({ resource: TOKEN }).irreversible).toBe(true);
    expect(decided({ resource: category('a') }).irreversible).toBe(false);
  });

  test('is nothing to do when the plan names it by address or id', () => {
    const named = [
      resource('wallet.x', 'wallet', { address: '0x1' }),
      resource('category.x', 'category', { id: 7 }),
      resource('contract.core.X', 'contract', { address: '0x1' }),
    ];
    for (const item of named) expect(decided({ resource: item, replace: true }).action).toBe('none');
  });

  test('is taken into the lock when the platform shows the same thing', () => {
    expect(decided({ resource: project(), observation: PRESENT })).toMatchObject({
      action: 'none',
      adopt: { slug: 'registry' },
    });
  });

  test('follows the rule of its kind when the platform shows another thing of that name', () => {
    const observation: Observation = { ...PRESENT, inputs: { packages: ['other'] } };
    const change = decided({ resource: version(), observation });
    expect(change).toMatchObject({ action: 'update', fields: [{ path: 'packages[0]', before: 'other' }] });
    expect(change.adopt).toBeUndefined();
    expect(decided({ resource: version(), observation: { ...observation, sealed: true } })).toMatchObject({
      action: 'blocked',
      fix: 'give it a new version name (1.0.1), also where deployments name it',
    });
  });

  test('is blocked when nothing here could prove that it was made, and says what would', () => {
    const blind = abilities({ capabilities: [], callbacks: false });
    for (const item of [auditContract('a'), certificateContract('a'), project()]) {
      const change = decided({ resource: item, abilities: blind });
      expect(change.action).toBe('blocked');
      expect(change.fix).toContain('capabilit');
    }
    expect(decided({ resource: auditContract('a'), abilities: abilities({ capabilities: [] }) }).action).toBe(
      'create',
    );
  });
});

describe('a resource with an attempt whose outcome is not known', () => {
  const state = lineage({ open: { 'contract.core.Token#1': ['contract.deploy', TOKEN.id] } });
  const open = [...state.attempts.values()].find(isOpen);

  test('is continued, whatever the lock and the platform say', () => {
    for (const observation of [PRESENT, { sight: 'absent' } as const])
      expect(decided({ resource: TOKEN, open, observation })).toMatchObject({ action: 'deploy' });
  });

  test('is still a new one in the place of what is locked', () => {
    expect(decided({ resource: TOKEN, open, entry: entryOf(TOKEN, { cap: '2' }) }).action).toBe('replace');
  });

  test('is an update when that is what was sent', () => {
    const updating = lineage({ open: { 'version.registry@1.0.0#2': ['version.update', version().id] } });
    const [attempt] = updating.attempts.values();
    expect(decided({ resource: version(), open: attempt }).action).toBe('update');
  });

  test('is blocked while the attempt is under the id that it is moved from', () => {
    expect(decided({ resource: TOKEN, openAs: 'contract.core.Old' })).toMatchObject({ action: 'blocked' });
  });
});

describe('a resource that is in the lock', () => {
  test('is nothing to do as long as the plan says the same and the platform shows it or cannot', () => {
    for (const sight of ['present', 'unreadable', 'not-asked'] as const)
      expect(decided({ resource: TOKEN, entry: entryOf(TOKEN), observation: { sight } })).toMatchObject({
        action: 'none',
        remote: sight,
      });
  });

  test('shows as drift what differs on the platform although nobody planned it', () => {
    const drifted: Observation = { ...PRESENT, inputs: { packages: ['other'] } };
    expect(decided({ resource: version(), entry: entryOf(version()), observation: drifted })).toMatchObject({
      action: 'none',
      drift: [{ path: 'packages[0]', after: 'other' }],
    });
  });

  test('is blocked when the platform does not show it, and made again only when asked', () => {
    const gone = { resource: TOKEN, entry: entryOf(TOKEN), observation: { sight: 'absent' } } as const;
    expect(decided(gone)).toMatchObject({ action: 'blocked' });
    expect(decided(gone).fix).toContain(`--replace ${TOKEN.id}`);
    expect(decided({ ...gone, replace: true }).action).toBe('replace');
  });

  test('follows the rule of its kind when the plan says something else', () => {
    const changed = entryOf(TOKEN, {
      ...(kindNamed('contract').comparable(TOKEN) as object),
      params: { cap: '2' },
    });
    expect(decided({ resource: TOKEN, entry: changed })).toMatchObject({
      action: 'replace',
      fields: [{ path: 'params.cap', before: '2', after: '1' }],
    });
    for (const item of [auditContract('a'), wallet('a'), category('a'), certificateContract('a')])
      expect(decided({ resource: item, entry: entryOf(item, { name: 'b' }) }).action).toBe('blocked');
  });

  test('names the address that makes the difference', () => {
    const needy = contract('Token', { registry: { $placeholder: [{ ref: 'contract.core.Registry' }] } });
    const locked = { ...(kindNamed('contract').comparable(needy) as object), params: { registry: '0x1' } };
    const change = decided({ resource: needy, entry: entryOf(needy, locked) });
    expect(change.action).toBe('replace');
    expect(change.trail).toEqual(['contract.core.Registry']);
    expect(
      decided({ resource: needy, entry: entryOf(needy, locked), stableAddress: () => '0x1' }).action,
    ).toBe('none');
  });
});

describe('what a change shows', () => {
  test('holds no personal data', () => {
    const odd = contract('Token', { owner: { $personal: '900101-14-5678' } });
    expect(JSON.stringify(decided({ resource: odd }))).not.toContain('900101');
    expect(JSON.stringify(decided({ resource: wallet('bob') }))).not.toContain('900101');
  });
});
