import { digestOf } from '../../src/model/canonical.js';
import type { ChangeSet } from '../../src/model/change.js';
import type { ResourceId, StepId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import type { Plan } from '../../src/model/plan.js';
import { diff, type DiffInput } from '../../src/diff/change-set.js';
import { EVERYTHING } from '../../src/diff/selection.js';
import type { JournalEvent, Outputs } from '../../src/state/event.js';
import { LineageState } from '../../src/state/project.js';
import { abilities } from './builders.js';

const AT = '2026-03-01T09:00:00.000Z';

/** What a lineage holds before a plan is compared with it. */
export interface Held {
  /** Locked resources with their inputs and outputs. */
  readonly locked?: Readonly<Record<ResourceId, readonly [inputs: Json, outputs: Outputs]>>;
  /** Attempts that nobody knows the outcome of: step → resources and operation. */
  readonly open?: Readonly<Record<StepId, readonly [operation: string, ...resources: ResourceId[]]>>;
}

export function lineage({ locked = {}, open = {} }: Held): LineageState {
  const target = { origin: 'local', client: digestOf('client') };
  const events: JournalEvent[] = [
    { type: 'lineage-started', at: AT, version: 1, lineage: 'lineage-1', target },
  ];
  for (const [id, [inputs, outputs]] of Object.entries(locked) as [ResourceId, readonly [Json, Outputs]][])
    events.push({ type: 'resource-adopted', at: AT, id, inputs, outputs, grade: 'B' });
  for (const [step, [operation, ...resources]] of Object.entries(open) as [
    StepId,
    readonly [string, ...ResourceId[]],
  ][]) {
    const digests = { token: digestOf(step), request: digestOf(step) };
    events.push({
      type: 'step-intended',
      at: AT,
      step,
      resources,
      operation,
      lane: 'lane',
      before: {},
      inputs: {},
      ...digests,
    });
  }
  return new LineageState(events);
}

/** The change set of a plan against what is held; everything else as usual. */
export function compared(plan: Plan, held: Held = {}, over: Partial<DiffInput> = {}): ChangeSet {
  const state = lineage(held);
  return diff({
    plan,
    state,
    observations: new Map(),
    abilities: abilities(),
    selection: EVERYTHING,
    forget: false,
    ...over,
  });
}

/** Every change as `action reason`. */
export function actions(changeSet: ChangeSet): Readonly<Record<ResourceId, string>> {
  return Object.fromEntries(changeSet.changes.map(({ id, action }) => [id, action]));
}
