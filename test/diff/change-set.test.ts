import { describe, expect, test } from 'vitest';
import { isEmpty } from '../../src/model/change.js';
import type { AnyResource } from '../../src/model/resource.js';
import { addressPlaceholder } from '../../src/model/value.js';
import { EVERYTHING } from '../../src/diff/selection.js';
import type { Held } from '../support/locked.js';
import { actions, compared } from '../support/locked.js';
import {
  address,
  auditContract,
  category,
  certificate,
  certificateContract,
  contract,
  plan,
  project,
  record,
  REGISTRAR,
  resource,
  version,
} from '../support/builders.js';

const REGISTRY = contract('Registry');
const TOKEN = contract('Token', { registry: addressPlaceholder(REGISTRY.id) });
const VAULT = contract('Vault', { token: addressPlaceholder(TOKEN.id) });
const BASE: readonly AnyResource[] = [project(), version(), REGISTRY, TOKEN, VAULT];

function lockedContract(item: AnyResource, params: object): readonly [object, object] {
  const wallet = { type: 'organisation', address: REGISTRAR };
  const inputs = { contract: item.id.split('.')[2], version: 'version.registry@1.0.0', wallet, params };
  return [inputs, { address: address(item.id) }];
}

/** All of {@link BASE} as it was made, with other inputs of the registry when told. */
function made(registryParams: object = {}): Held {
  const { compiler, packages } = {
    compiler: { solidity: '0.8.28', optimizer: { enabled: true, runs: 200 } },
    packages: [],
  };
  const [, source] = BASE;
  const sources = source?.kind === 'version' ? { 'Token.sol': source.inputs.sources[0]?.digest } : {};
  return {
    locked: {
      'project.registry': [{ slug: 'registry' }, { slug: 'registry' }],
      'version.registry@1.0.0': [{ name: '1.0.0', compiler, packages, sources }, { slug: '1-100' }],
      [REGISTRY.id]: lockedContract(REGISTRY, registryParams),
      [TOKEN.id]: lockedContract(TOKEN, { registry: address(REGISTRY.id) }),
      [VAULT.id]: lockedContract(VAULT, { token: address(TOKEN.id) }),
    } as Held['locked'] & object,
  };
}

describe('a change set', () => {
  test('is empty when everything is made as planned', () => {
    expect(isEmpty(compared(plan(BASE), made()))).toBe(true);
  });

  test('is the same each time', () => {
    expect(compared(plan(BASE))).toEqual(compared(plan(BASE)));
  });

  test('replaces what holds the address of what is replaced, along the whole trail, and nothing else', () => {
    const changeSet = compared(plan(BASE), made({ old: '1' }));
    expect(actions(changeSet)).toEqual({
      'project.registry': 'none',
      'version.registry@1.0.0': 'none',
      [REGISTRY.id]: 'replace',
      [TOKEN.id]: 'replace',
      [VAULT.id]: 'replace',
    });
    expect(changeSet.changes.find(({ id }) => id === VAULT.id)?.trail).toEqual([REGISTRY.id, TOKEN.id]);
  });

  test('blocks what cannot follow, and then has no steps at all', () => {
    const contractOf = certificateContract('diplomas');
    const minted = certificate('S-1');
    const { locked } = made();
    const row = { ...minted.inputs, contract: address('nft'), image: 'sha256:1' };
    const held = {
      locked: { ...locked, [contractOf.id]: [{}, { address: address('nft') }], [minted.id]: [row, {}] },
    } as unknown as Held;
    const replacing = { ...EVERYTHING, replaces: [contractOf.id] };
    const changeSet = compared(plan([...BASE, contractOf, minted]), held, { selection: replacing });
    expect(actions(changeSet)[minted.id]).toBe('blocked');
    expect(changeSet.steps).toEqual([]);
  });

  test('takes an address that the plan itself names as one that stays', () => {
    const named = resource('audit-contract.releases', 'audit-contract', { address: address('trail') });
    const item = record('a');
    const inputs = { ...item.inputs, contract: address('trail') };
    const changeSet = compared(plan([named, item]), {
      locked: { [item.id]: [inputs as object, {}] },
    } as unknown as Held);
    expect(isEmpty(changeSet)).toBe(true);
  });
});

describe('flags', () => {
  test('replace what they name, and what holds its address', () => {
    const selection = { ...EVERYTHING, replaces: [TOKEN.id] };
    expect(actions(compared(plan(BASE), made(), { selection }))).toMatchObject({
      [REGISTRY.id]: 'none',
      [TOKEN.id]: 'replace',
      [VAULT.id]: 'replace',
    });
  });

  test('target what they name with what it needs, and say that this is a part', () => {
    const changeSet = compared(
      plan([...BASE, category('a')]),
      {},
      { selection: { ...EVERYTHING, targets: [TOKEN.id] } },
    );
    expect(Object.keys(actions(changeSet))).toEqual([
      'project.registry',
      'version.registry@1.0.0',
      REGISTRY.id,
      TOKEN.id,
    ]);
    expect(changeSet.partial).toBe(true);
  });

  test('exclude what they name with what needs it', () => {
    const selection = { ...EVERYTHING, excludes: [TOKEN.id] };
    expect(Object.keys(actions(compared(plan(BASE), {}, { selection })))).not.toContain(VAULT.id);
  });

  test('may name a deployment or a batch as a whole, and nothing that is nowhere', () => {
    const whole = { ...EVERYTHING, targets: ['deployment.core', 'certificate.class'] };
    const changeSet = compared(
      plan([...BASE, certificateContract('diplomas'), certificate('S-1')]),
      {},
      { selection: whole },
    );
    expect(Object.keys(actions(changeSet))).toContain('certificate.class[S-1]');
    expect(() => compared(plan(BASE), {}, { selection: { ...EVERYTHING, targets: ['tag.none'] } })).toThrow(
      expect.objectContaining({ code: 'CHANGE_UNKNOWN_ID' }),
    );
  });
});

describe('mints into a contract that was handed to somebody else', () => {
  const diplomas = certificateContract('diplomas');
  const rows = [certificate('S-1'), certificate('S-2')];
  const inputs = {
    nickname: 'diplomas nickname',
    name: 'diplomas',
    symbol: 'DIP',
    deployer: REGISTRAR,
    owner: REGISTRAR,
    maxSupply: 0,
  };
  const locked = { [diplomas.id]: [inputs, { address: address('diplomas') }] } as Held['locked'] & object;
  const held: Held = { locked };
  const seenWith = (owner: string) => ({
    observations: new Map([[diplomas.id, { sight: 'present' as const, inputs: { owner } }]]),
  });

  test('are blocked with the way out, and with them the release; one that was sent is still looked for', () => {
    const handed = compared(plan([diplomas, ...rows]), held, seenWith(address('clerk')));
    expect(actions(handed)).toEqual({
      [diplomas.id]: 'none',
      'certificate.class[S-1]': 'blocked',
      'certificate.class[S-2]': 'blocked',
    });
    expect(handed.changes[1]).toMatchObject({
      irreversible: false,
      reason: expect.stringContaining(address('clerk')) as unknown,
      fix: expect.stringContaining('--refresh-only') as unknown,
    });
    expect(handed.steps).toEqual([]);

    const open: Held = {
      ...held,
      open: { 'certificate.class[S-1]#1': ['certificate.mint', 'certificate.class[S-1]'] },
    };
    const going = compared(plan([diplomas, rows[0]!]), open, seenWith(address('clerk')));
    expect(actions(going)['certificate.class[S-1]']).toBe('create');
  });

  test('are as ever while the owner is the one that is locked', () => {
    const changeSet = compared(plan([diplomas, ...rows]), held, seenWith(REGISTRAR));
    expect(actions(changeSet)['certificate.class[S-2]']).toBe('create');
  });
});

describe('what only the lock holds', () => {
  const held: Held = { locked: { 'category.old': [{ name: 'old' }, { id: 1 }] } };

  test('stays, until it is to be forgotten', () => {
    const kept = compared(plan([]), held);
    expect(actions(kept)).toEqual({ 'category.old': 'none' });
    expect(kept.notices.join()).toContain('category.old');
    const changeSet = compared(plan([]), held, { forget: true });
    expect(actions(changeSet)).toEqual({ 'category.old': 'forget' });
    expect(changeSet.steps).toEqual([]);
    expect(changeSet.notices).toEqual([]);
  });

  test('gets a new id when the plan moves it', () => {
    const renamed = category('old');
    const moving = plan([{ ...renamed, id: 'category.new' }], { moved: { 'category.old': 'category.new' } });
    const changeSet = compared(moving, held);
    expect(changeSet.changes).toMatchObject([
      { id: 'category.new', action: 'none', movedFrom: 'category.old' },
    ]);
    expect(isEmpty(changeSet)).toBe(false);
  });

  test('is not moved, nor made again, while an attempt under its old id is open', () => {
    const moving = plan([{ ...category('old'), id: 'category.new' }], {
      moved: { 'category.old': 'category.new' },
    });
    const open = { 'category.old#1': ['category.create', 'category.old'] } as const;
    expect(actions(compared(moving, { open }))).toEqual({ 'category.new': 'blocked' });
  });
});

describe('open attempts', () => {
  test('are steps although the plan has nothing of them any more', () => {
    const open = { 'audit-contract.gone#1': ['audit-contract.create', 'audit-contract.gone'] } as const;
    const { steps } = compared(plan([auditContract('other')]), { open });
    expect(steps.map(({ id }) => id)).toEqual(['audit-contract.gone', 'audit-contract.other']);
  });
});
