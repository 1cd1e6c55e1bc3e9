import { describe, expect, it } from 'vitest';
import { refresh } from '../../src/diff/refresh.js';
import { EVERYTHING } from '../../src/diff/selection.js';
import type { Observation } from '../../src/kinds/kind.js';
import { tag as tagKind } from '../../src/kinds/tag.js';
import type { LockEntry } from '../../src/state/lock.js';
import type { Change } from '../../src/model/change.js';
import type { Json } from '../../src/model/json.js';
import type { AnyResource, Resource } from '../../src/model/resource.js';
import type { Outputs } from '../../src/state/event.js';
import { abilities, contract, plan, tag, version } from '../support/builders.js';
import { found } from '../support/judging.js';
import { lineage, type Held } from '../support/locked.js';

/** What is said of one resource that is locked with these inputs and outputs. */
function said(item: AnyResource, inputs: Json, outputs: Outputs, observation: Observation): Change {
  const { changes, steps } = refresh({
    plan: plan([item, tag('unreleased')]),
    state: lineage({ locked: { [item.id]: [inputs, outputs] } as unknown as NonNullable<Held['locked']> }),
    observations: new Map([[item.id, observation]]),
    selection: EVERYTHING,
  });
  expect(steps).toEqual([]);
  expect(changes).toHaveLength(1);
  return changes[0]!;
}

const VERSION = version();
const MADE = { slug: '1-100', bytecode: { Token: 'sha256:aa' } };
const INPUTS = { compiler: { solidity: '0.8.28' }, sources: { 'Token.sol': 'sha256:01' } };

describe('comparing what is locked with the platform', () => {
  it('takes other inputs of something that can be changed there, with what was made from them', () => {
    const sources = { 'Token.sol': 'sha256:02' };
    const bytecode = { Token: 'sha256:bb' };
    const heard = said(VERSION, INPUTS, MADE, { sight: 'present', inputs: { sources }, made: { bytecode } });
    expect(heard.drift.map(({ path }) => path)).toEqual(['sources[Token.sol]', 'bytecode.Token']);
    expect(heard).toMatchObject({ action: 'none', adopt: { slug: '1-100', bytecode } });
    expect(heard.inputs).toEqual({ ...INPUTS, sources });
  });

  it('never takes another result alone: the next plan could not set it right', () => {
    const made = { bytecode: { Token: 'sha256:bb' } };
    const heard = said(VERSION, INPUTS, MADE, { sight: 'present', inputs: INPUTS, made });
    expect(heard.drift).toHaveLength(1);
    expect(heard.adopt).toBeUndefined();
  });

  it('never takes what cannot be taken back, and lets nothing leave the lock', () => {
    const token = contract('Token');
    const other = said(
      token,
      { params: { cap: '1' } },
      { address: '0x1' },
      { sight: 'present', inputs: { params: { cap: '2' } } },
    );
    expect(other.drift).toHaveLength(1);
    expect(other.adopt).toBeUndefined();
    const gone = said(token, {}, { address: '0x1' }, { sight: 'absent' });
    expect(gone).toMatchObject({ action: 'none', drift: [{ path: 'exists', before: true, after: false }] });
    expect(gone.adopt).toBeUndefined();
  });

  it('says nothing of what is as locked, or cannot be read', () => {
    for (const sight of ['present', 'unreadable', 'not-asked'] as const) {
      const heard = said(VERSION, INPUTS, MADE, { sight });
      expect(heard).toMatchObject({ drift: [], remote: sight });
      expect(heard.adopt).toBeUndefined();
    }
  });

  it('shows that a tag has another name or is switched off, and never takes it: no plan could set it right', () => {
    const item = tag('v1');
    const knowledge = { abilities: abilities(), resource: () => item, outputs: () => undefined };
    const seen = (inputs: Json, name: string, on = 1): Observation => {
      const entry = { id: item.id, inputs, outputs: { id: 7 } } as unknown as LockEntry;
      const list = found([
        { id: 7, name, is_active: on },
        { id: 8, name: 'v1' },
      ]);
      return tagKind.seen({ resource: item as Resource<'tag'>, entry, knowledge, answers: [list] });
    };
    const renamed = said(item, { name: 'v1' }, { id: 7 }, seen({ name: 'v1' }, 'v2'));
    expect(renamed.drift).toEqual([{ path: 'name', before: 'v1', after: 'v2' }]);
    expect(renamed.adopt).toBeUndefined();
    expect(said(item, { name: 'v1' }, { id: 7 }, seen({ name: 'v1' }, 'v1')).drift).toEqual([]);
    expect(said(item, { id: 7 }, { id: 7 }, seen({ id: 7 }, 'anything')).drift).toEqual([]);
    const off = said(item, { name: 'v1' }, { id: 7 }, seen({ name: 'v1' }, 'v1', 0));
    expect(off.drift).toEqual([{ path: 'active', after: false }]);
    expect(off.adopt).toBeUndefined();
  });
});
