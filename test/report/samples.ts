import type { Change, ChangeSet } from '../../src/model/change.js';
import { kindOf, type ResourceId } from '../../src/model/id.js';

/** A change of one resource; only what a test is about needs to be given. */
export function change(id: ResourceId, over: Partial<Change> = {}): Change {
  return {
    id,
    kind: kindOf(id),
    action: 'create',
    reason: 'not on the platform yet',
    irreversible: false,
    fields: [],
    drift: [],
    remote: 'absent',
    inputs: {},
    dependsOn: [],
    ...over,
  };
}

/** A change set with the given changes. */
export function changeSet(changes: readonly Change[], over: Partial<ChangeSet> = {}): ChangeSet {
  return {
    plan: { name: 'campus-release', file: 'windlass.yaml', digest: 'sha256:00' },
    environment: 'test',
    changes,
    steps: changes
      .filter(({ action }) => action !== 'none' && action !== 'blocked')
      .map(({ id }) => ({ id, resources: [id], operation: 'any', dependsOn: [], lane: 'registrar' })),
    partial: false,
    notices: [],
    ...over,
  };
}

/** Certificates of one batch. */
export function certificates(count: number, over: Partial<Change> = {}): readonly Change[] {
  return Array.from({ length: count }, (_, index) =>
    change(`certificate.class-of-2026[S-${1001 + index}]`, { irreversible: true, ...over }),
  );
}

/** Names that try to be something else. */
export const HOSTILE = [
  '\u001b[2J\u001b[31mowned',
  'a\u202Egpj.exe',
  '</script><img src=x onerror=alert(1)>',
  '`rm -rf` | x',
  '--><!-- windlass',
  '@team #1 [x](javascript:1)',
  'line\nbreak',
  '\uD800',
] as const;
