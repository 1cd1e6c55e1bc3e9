import { describe, expect, test } from 'vitest';
import { diff } from '../../src/diff/change-set.js';
import { IdleChange } from '../../src/diff/idle-change.js';
import { EVERYTHING } from '../../src/diff/selection.js';
import type { Observation } from '../../src/kinds/kind.js';
import type { ChangeSet } from '../../src/model/change.js';
import type { ResourceId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import type { Plan } from '../../src/model/plan.js';
import type { AnyResource } from '../../src/model/resource.js';
import { encodeEvents, foldJournal } from '../../src/state/codec.js';
import type { JournalEvent } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import { CHAIN_START } from '../../src/state/record.js';
import { address, abilities, auditContract, plan, record, REGISTRAR } from '../support/builders.js';
import { intended, settled, started } from '../state/journal-events.js';

const RELEASES = auditContract('releases');
const NAMES = ['one', 'two', 'three', 'four'];
const RECORDS = NAMES.map((name) => record(name));
const PLAN = plan([RELEASES, ...RECORDS]);

function made({ id }: AnyResource, inputs: Json): readonly JournalEvent[] {
  const outputs = { address: address(id), transaction: `0x${'0a'.repeat(32)}` };
  return [intended(`${id}#1`, { [id]: inputs }), settled(`${id}#1`, { [id]: outputs })];
}

/** A journal in which the contract was made, and then the records, all as planned but the last. */
const EVENTS: readonly JournalEvent[] = [
  started(),
  ...made(RELEASES, { name: 'releases', encryptData: false }),
  ...NAMES.flatMap((name, index) =>
    made(record(name), {
      contract: address(RELEASES.id),
      signer: REGISTRAR,
      metadata: { release: index === 3 ? 'another' : name },
      envelope: 'digest',
      categories: [],
      tags: [],
    }),
  ),
];

const READ_AS_TEXT = foldJournal(Buffer.from(encodeEvents(CHAIN_START, EVENTS).text)).state;

function compared(state: LineageState, over: Partial<Plan> = {}): ChangeSet {
  const shown: Observation = { sight: 'present', inputs: { metadata: { release: 'edited' } } };
  const unreadable: Observation = { sight: 'unreadable', unreadable: 'capability lists' };
  const observations = new Map<ResourceId, Observation>([
    ['audit-record.two', shown],
    ['audit-record.three', unreadable],
  ]);
  const rest = { observations, abilities: abilities(), selection: EVERYTHING, forget: false };
  return diff({ plan: { ...PLAN, ...over }, state, ...rest });
}

describe('a change set from a journal that was read as text', () => {
  test('is, to the letter, that of the same events', () => {
    const changeSet = compared(READ_AS_TEXT);
    expect(changeSet.changes.some((change) => change instanceof IdleChange)).toBe(true);
    expect(JSON.stringify(changeSet)).toBe(JSON.stringify(compared(new LineageState(EVENTS))));
    expect(changeSet.changes.map(({ action }) => action)).toEqual([
      'none',
      'none',
      'none',
      'none',
      'blocked',
    ]);
  });

  test('tells what is locked, also of what only the lock has or the plan moves', () => {
    const moved = { 'audit-record.one': 'audit-record.first' } as const;
    const resources = [RELEASES, record('first', { metadata: { release: 'one' } })];
    const changes = compared(READ_AS_TEXT, { resources, moved }).changes;
    const plain = compared(new LineageState(EVENTS), { resources, moved }).changes;
    expect(changes.map(({ id, locked }) => [id, locked])).toEqual(
      plain.map(({ id, locked }) => [id, locked]),
    );
    expect(changes.map(({ id }) => id)).toEqual([
      'audit-contract.releases',
      'audit-record.first',
      'audit-record.two',
      'audit-record.three',
      'audit-record.four',
    ]);
    expect(JSON.stringify(changes)).toBe(JSON.stringify(plain));
  });
});
