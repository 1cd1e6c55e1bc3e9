import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/model/canonical.js';
import type { ChangeSet } from '../../src/model/change.js';
import { changeSetGitlab } from '../../src/report/change-set-gitlab.js';
import { changeSetJson } from '../../src/report/change-set-json.js';
import { formatSavedChangeSet } from '../../src/report/saved-change-set.js';
import { campus, contract, plan, project, version } from '../support/builders.js';
import { compared } from '../support/locked.js';
import { schemaValidator, undescribed } from '../state/schemas.js';
import { certificates, change, changeSet, HOSTILE } from './samples.js';

const DOCUMENT = schemaValidator('change-set');
const SAVED = schemaValidator('change-set', '#/definitions/saved');

const COMPLETE = changeSet(
  [
    change('version.registry@1.1.0', {
      follows: { id: 'version.registry@1.0.0', fields: [{ path: 'compiler.optimizer.runs', after: 1 }] },
    }),
    change('contract.core.Token', {
      action: 'replace',
      irreversible: true,
      fields: [{ path: 'params.cap', before: '1', after: { $placeholder: [{ ref: 'wallet.a' }] } }],
      drift: [{ path: 'wallet', before: 1 }],
      locked: { address: '0x1' },
      shown: ['wallet'],
      trail: ['version.registry@1.1.0'],
      types: { cap: 'uint256' },
      remote: 'present',
    }),
    change('audit-record.a', { action: 'blocked', fix: 'x', remote: 'unreadable', unreadable: 'lists' }),
    change('tag.new', { action: 'none', movedFrom: 'tag.old', adopt: { id: 1 } }),
    change('tag.gone', { action: 'forget', undeclared: true }),
  ],
  { plan: { name: 'campus', file: 'windlass.yaml', digest: digestOf('plan') } },
);

function isOfSchema(set: ChangeSet): void {
  expect(DOCUMENT(changeSetJson(set)) ? [] : DOCUMENT.errors).toEqual([]);
  const saved = formatSavedChangeSet({
    planPath: 'windlass.yaml',
    target: { origin: 'https://x', client: digestOf('c') },
    lineage: null,
    serial: 0,
    selection: { targets: [], excludes: [], replaces: [] },
    forget: false,
    engine: '0.1.0',
    files: { 'a.sol': digestOf('a') },
    changeSet: set,
  });
  expect(SAVED(JSON.parse(saved)) ? [] : SAVED.errors).toEqual([]);
}

describe('the schema of change sets', () => {
  it('fits what is printed and what is saved', () => {
    isOfSchema(COMPLETE);
    isOfSchema(compared(plan(campus())));
    isOfSchema(compared(plan([project(), version(), contract('Token', { cap: '1' })])));
  });

  it('fits change sets with any names', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(...HOSTILE)), (name) => {
        isOfSchema({
          ...COMPLETE,
          environment: name,
          changes: [change(`tag.${name}`, { reason: name })],
          steps: [],
        });
      }),
      { numRuns: 30 },
    );
  });

  it('refuses an action that there is not, and a member that nobody described', () => {
    const document = changeSetJson(COMPLETE) as Record<string, unknown>;
    expect(DOCUMENT({ ...document, changes: [{ ...COMPLETE.changes[0], action: 'destroy' }] })).toBe(false);
    expect(DOCUMENT({ ...document, secret: 'x' })).toBe(false);
  });

  it('describes every member, with an example', () => {
    expect(undescribed('change-set')).toEqual([]);
  });
});

describe('the counts for a GitLab merge request', () => {
  it('count what is made anew as added, what only the lock learns as changed, and what leaves it as deleted', () => {
    expect(changeSetGitlab(COMPLETE)).toEqual({ create: 2, update: 1, delete: 1 });
    expect(changeSetGitlab(changeSet(certificates(10_000)))).toEqual({
      create: 10_000,
      update: 0,
      delete: 0,
    });
    expect(changeSetGitlab(changeSet([change('version.a@1', { action: 'update' })]))).toMatchObject({
      update: 1,
    });
  });
});
