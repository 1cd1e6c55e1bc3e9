import { assert, constantFrom, boolean, nat, pre, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/model/error-codes.js';
import type { Json } from '../../src/model/json.js';
import { WindlassError } from '../../src/model/error.js';
import { admitSaved, checkFiles, checkOrigin, selectionNow } from '../../src/report/admission.js';
import {
  formatSavedChangeSet,
  looksLikeSavedChangeSet,
  parseSavedChangeSet,
  savedDigest,
  type SavedChangeSet,
} from '../../src/report/saved-change-set.js';
import type { JournalEvent } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import { change, changeSet } from './samples.js';

const target = { origin: 'local', client: 'sha256:00' } as const;
const OTHER_ADDRESS = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
const all = changeSet([change('tag.a'), change('tag.b')]);

function saved(over: Partial<SavedChangeSet> = {}): SavedChangeSet {
  const selection = { targets: [], excludes: [], replaces: [] };
  return {
    planPath: 'p.yaml',
    target,
    lineage: null,
    serial: 0,
    selection,
    forget: false,
    engine: '1.0.0',
    files: { 'a.sol': 'sha256:0a', 'b.csv': 'sha256:0b' },
    changeSet: all,
    ...over,
  };
}

function lineage(...events: readonly JournalEvent[]): LineageState {
  return new LineageState([{ type: 'lineage-started', at: '', version: 1, lineage: 'l', target }, ...events]);
}

function runOf(one: SavedChangeSet, at = '2026-01-01'): JournalEvent {
  return {
    type: 'run-started',
    at,
    run: 'r',
    plan: 'sha256:00',
    changeSet: savedDigest(one),
    engine: '0',
  };
}

function adopted(id: `tag.${string}`, at = '2026-01-02'): JournalEvent {
  return { type: 'resource-adopted', at, id, outputs: {}, inputs: null, grade: 'B' };
}

function errorOf(work: () => unknown): WindlassError | undefined {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof WindlassError) return thrown;
    throw thrown;
  }
  return undefined;
}

function codeOf(work: () => unknown): ErrorCode | undefined {
  return errorOf(work)?.code;
}

describe('a saved change set', () => {
  it('reads back as it was, and shows every edit', () => {
    const text = formatSavedChangeSet(saved());
    expect(parseSavedChangeSet(text)).toEqual(saved());
    expect(codeOf(() => parseSavedChangeSet(text.replace('"tag.a"', '"tag.x"')))).toBe('CHANGESET_TAMPERED');
    expect(codeOf(() => parseSavedChangeSet(text.slice(0, -20)))).toBe('CHANGESET_TAMPERED');
    expect(codeOf(() => parseSavedChangeSet('{}'))).toBe('CHANGESET_TAMPERED');
  });

  it('shows an edit of any one byte, anywhere, and is then not taken for a plan', () => {
    const text = formatSavedChangeSet(saved());
    const edit = record({
      at: nat(text.length - 1),
      by: constantFrom(' ', 'x', '0', '1', '"', ',', '\n', ''),
      instead: boolean(),
    });
    assert(
      property(edit, ({ at, by, instead }) => {
        const edited = text.slice(0, at) + by + text.slice(instead ? at + 1 : at);
        pre(edited !== text);
        expect(looksLikeSavedChangeSet(edited)).toBe(true);
        expect(codeOf(() => parseSavedChangeSet(edited))).toBe('CHANGESET_TAMPERED');
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused by the name of each file that is another one now', () => {
    const { files } = saved();
    const plan = all.plan.digest;
    expect(codeOf(() => checkFiles(saved(), { plan, files }))).toBeUndefined();
    const found = (now: Parameters<typeof checkFiles>[1]) => errorOf(() => checkFiles(saved(), now));
    expect(found({ plan: 'sha256:01', files })).toMatchObject({ code: 'CHANGESET_STALE' });
    expect(found({ plan: 'sha256:01', files })?.message).toContain('windlass.yaml was edited');
    expect(found({ plan, files: { ...files, 'a.sol': 'sha256:ff' } })?.message).toContain('a.sol was edited');
    expect(found({ plan, files: { 'a.sol': files['a.sol'] } })?.message).toContain('b.csv is gone');
    expect(found({ plan, files: { ...files, 'c.sol': 'sha256:0c' } })?.message).toContain('c.sol is new');
  });

  it('is refused elsewhere, by another version, and when it was made offline', () => {
    const engine = '1.0.0';
    const code = (over: Partial<SavedChangeSet>, now: Partial<Parameters<typeof checkOrigin>[1]> = {}) =>
      codeOf(() => checkOrigin(saved(over), { target, engine, ...now }));
    expect(code({})).toBeUndefined();
    for (const other of [{ origin: 'https://b' }, { client: 'sha256:01' }, { chain: '1:0x0' }] as const) {
      expect(code({}, { target: { ...target, ...other } })).toBe('CHANGESET_OTHER_TARGET');
    }
    expect(code({ target: null })).toBe('CHANGESET_STALE');
    expect(code({}, { engine: '1.0.1' })).toBe('CHANGESET_STALE');
  });

  it('is applied as it is while nothing has changed', () => {
    expect(admitSaved(saved(), all, new LineageState())).toBe(saved().changeSet);
    expect(admitSaved(saved(), all, lineage())).toBe(saved().changeSet);
  });

  it('is stale when the lock moved on, or when the difference is another one', () => {
    expect(codeOf(() => admitSaved(saved(), all, lineage(adopted('tag.z'))))).toBe('CHANGESET_STALE');
    const other = changeSet([change('tag.a'), change('tag.b', { inputs: { name: 'new' } })]);
    expect(codeOf(() => admitSaved(saved(), other, lineage()))).toBe('CHANGESET_STALE');
  });

  it('is stale when the lock is of another lineage, or gone', () => {
    const one = saved({ lineage: 'l', serial: 1 });
    expect(admitSaved(one, all, lineage(adopted('tag.z')))).toBe(one.changeSet);
    expect(codeOf(() => admitSaved({ ...one, lineage: 'k' }, all, lineage(adopted('tag.z'))))).toBe(
      'CHANGESET_STALE',
    );
    expect(codeOf(() => admitSaved(one, all, new LineageState()))).toBe('CHANGESET_STALE');
  });

  it('names what the platform shows otherwise', () => {
    const other = changeSet([change('tag.a'), change('tag.b', { remote: 'present' })]);
    const error = errorOf(() => admitSaved(saved(), other, lineage()));
    expect(error?.message).toContain('tag.b differs in remote');
  });

  it('is not the one before it, though both ask for the same', () => {
    const replaces = ['tag.a'];
    const first = saved({
      lineage: 'l',
      serial: 1,
      changeSet: changeSet([change('tag.a', { action: 'replace' })]),
      selection: { targets: [], excludes: [], replaces },
    });
    const state = lineage(adopted('tag.a', '2025'), runOf(first), adopted('tag.a'));
    expect(selectionNow(first, state).replaces).toEqual([]);
    expect(selectionNow({ ...first, serial: 2 }, state).replaces).toEqual(replaces);
  });

  it('was applied when a run of it left nothing to do', () => {
    const none = changeSet([change('tag.a', { action: 'none' }), change('tag.b', { action: 'none' })]);
    const state = lineage(runOf(saved()), adopted('tag.a'), adopted('tag.b'));
    expect(codeOf(() => admitSaved(saved(), none, state))).toBe('CHANGESET_APPLIED');
  });

  it('resumes with what is left of it, and with nothing else', () => {
    const state = lineage(runOf(saved()), adopted('tag.a'));
    const left = changeSet([change('tag.a', { action: 'none' }), change('tag.b', { reason: 'worded anew' })]);
    expect(admitSaved(saved(), left, state)).toBe(left);
    const more = changeSet([change('tag.b'), change('tag.c')]);
    expect(codeOf(() => admitSaved(saved(), more, state))).toBe('CHANGESET_STALE');
  });

  it('resumes with the addresses that it made itself, and with no other', () => {
    const token = { $placeholder: [{ ref: 'contract.core.Token' }] } as const;
    const shipped = (at: Json) => change('audit-record.shipped', { inputs: { metadata: { token: at } } });
    const one = saved({ changeSet: changeSet([change('contract.core.Token'), shipped(token)]) });
    const [made, foreign] = ['0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512', OTHER_ADDRESS];
    const deployed = (at: string): JournalEvent => ({
      type: 'resource-adopted',
      at,
      id: 'contract.core.Token',
      outputs: { address: made },
      inputs: null,
      grade: 'A',
    });
    const left = (at: Json) => changeSet([change('contract.core.Token', { action: 'none' }), shipped(at)]);
    const state = lineage(runOf(one), deployed('2026-01-02'));
    expect(admitSaved(one, left(made), state)).toEqual(left(made));
    expect(codeOf(() => admitSaved(one, left(foreign), state))).toBe('CHANGESET_STALE');
    const before = lineage(deployed('2025-01-02'), runOf(one));
    expect(codeOf(() => admitSaved(one, left(made), before))).toBe('CHANGESET_STALE');
  });

  it('makes nothing anew a second time when it resumes', () => {
    const replacing = changeSet([
      change('tag.a', { action: 'replace' }),
      change('tag.b', { action: 'replace' }),
    ]);
    const selection = { targets: [], excludes: [], replaces: ['tag.a', 'tag.b'] };
    const one = saved({ changeSet: replacing, selection });
    const before = [adopted('tag.a', '2025'), adopted('tag.b', '2025')];
    expect(selectionNow(one, lineage(...before)).replaces).toEqual(['tag.a', 'tag.b']);
    const began = lineage(...before, runOf(one), adopted('tag.a'));
    expect(selectionNow(one, began).replaces).toEqual(['tag.b']);
  });
});
