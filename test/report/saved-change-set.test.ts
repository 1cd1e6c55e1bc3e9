import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/model/error-codes.js';
import { WindlassError } from '../../src/model/error.js';
import type { ChangeSet } from '../../src/model/change.js';
import {
  admitSaved,
  changeSetDigest,
  formatSavedChangeSet,
  parseSavedChangeSet,
  selectionNow,
  type SavedChangeSet,
} from '../../src/report/saved-change-set.js';
import type { JournalEvent } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import { change, changeSet } from './samples.js';

const target = { origin: 'local', client: 'sha256:00' } as const;
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
    changeSet: all,
    ...over,
  };
}

function lineage(...events: readonly JournalEvent[]): LineageState {
  return new LineageState([{ type: 'lineage-started', at: '', version: 1, lineage: 'l', target }, ...events]);
}

function runOf(set: ChangeSet, at = '2026-01-01'): JournalEvent {
  return {
    type: 'run-started',
    at,
    run: 'r',
    plan: 'sha256:00',
    changeSet: changeSetDigest(set),
    engine: '0',
  };
}

function adopted(id: `tag.${string}`, at = '2026-01-02'): JournalEvent {
  return { type: 'resource-adopted', at, id, outputs: {}, inputs: null, grade: 'B' };
}

function codeOf(work: () => unknown): ErrorCode | undefined {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof WindlassError) return thrown.code;
    throw thrown;
  }
  return undefined;
}

describe('a saved change set', () => {
  it('reads back as it was, and shows every edit', () => {
    const text = formatSavedChangeSet(saved());
    expect(parseSavedChangeSet(text)).toEqual(saved());
    expect(codeOf(() => parseSavedChangeSet(text.replace('"tag.a"', '"tag.x"')))).toBe('CHANGESET_TAMPERED');
    expect(codeOf(() => parseSavedChangeSet(text.slice(0, -20)))).toBe('CHANGESET_TAMPERED');
    expect(codeOf(() => parseSavedChangeSet('{}'))).toBe('CHANGESET_TAMPERED');
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

  it('was applied when a run of it left nothing to do', () => {
    const none = changeSet([change('tag.a', { action: 'none' }), change('tag.b', { action: 'none' })]);
    const state = lineage(runOf(all), adopted('tag.a'), adopted('tag.b'));
    expect(codeOf(() => admitSaved(saved(), none, state))).toBe('CHANGESET_APPLIED');
  });

  it('resumes with what is left of it, and with nothing else', () => {
    const state = lineage(runOf(all), adopted('tag.a'));
    const left = changeSet([change('tag.a', { action: 'none' }), change('tag.b', { reason: 'worded anew' })]);
    expect(admitSaved(saved(), left, state)).toBe(left);
    const more = changeSet([change('tag.b'), change('tag.c')]);
    expect(codeOf(() => admitSaved(saved(), more, state))).toBe('CHANGESET_STALE');
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
    const began = lineage(...before, runOf(replacing), adopted('tag.a'));
    expect(selectionNow(one, began).replaces).toEqual(['tag.b']);
  });
});
