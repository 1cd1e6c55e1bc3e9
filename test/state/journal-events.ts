import * as fc from 'fast-check';
import { digestOf } from '../../src/model/canonical.js';
import type { ResourceId, StepId } from '../../src/model/id.js';
import type { Json } from '../../src/model/json.js';
import type { Attempt } from '../../src/state/attempt.js';
import type { Lock } from '../../src/state/lock.js';
import { LineageState } from '../../src/state/project.js';
import type {
  JournalEvent,
  LineageStarted,
  Outputs,
  ResourceAdopted,
  StepIntended,
  StepSettled,
  Target,
} from '../../src/state/event.js';

export const AT = '2026-03-01T09:00:00.000Z';

export const TARGET: Target = { origin: 'https://service.example.com', client: digestOf('client') };

/** Inputs, outputs or whatever else a builder needs one of for each resource. */
type Each<T> = Readonly<Record<ResourceId, T>>;

export function started(over: Partial<LineageStarted> = {}): LineageStarted {
  return { type: 'lineage-started', at: AT, version: 1, lineage: 'lineage-1', target: TARGET, ...over };
}

export function intended(step: StepId, inputs: Each<Json>, over: Partial<StepIntended> = {}): StepIntended {
  const resources = Object.keys(inputs) as ResourceId[];
  const token = digestOf(`token of ${step}`);
  const rest = { operation: 'deploy', lane: '0xlane', token, request: digestOf(step), before: null };
  return { type: 'step-intended', at: AT, step, resources, inputs, ...rest, ...over };
}

export function settled(step: StepId, outputs: Each<Outputs>, over: Partial<StepSettled> = {}): StepSettled {
  return { type: 'step-settled', at: AT, step, state: 'confirmed', grade: 'B', outputs, ...over };
}

export function adopted(
  id: ResourceId,
  outputs: Outputs,
  over: Partial<ResourceAdopted> = {},
): ResourceAdopted {
  return { type: 'resource-adopted', at: AT, id, outputs, inputs: { address: 'x' }, grade: 'B', ...over };
}

/** One event of every type, in an order that folds. */
export function everyEvent(): readonly JournalEvent[] {
  const step = 'deployment.core#1';
  return [
    started({ imported: digestOf('old'), serial: 3 }),
    adopted('tag.v0', { id: '3' }, { imported: true, step: 'tag.v0#2' }),
    {
      type: 'run-started',
      at: AT,
      run: 'r1',
      plan: digestOf(1),
      changeSet: digestOf(2),
      engine: '0.1.0',
      bounded: true,
    },
    intended(step, { 'contract.core.Token': { cap: '1' } }),
    { type: 'step-answered', at: AT, step, outcome: 'accepted', status: 200, ids: { id: 7 }, message: 'ok' },
    { type: 'step-evidenced', at: AT, step, via: 'callback', claim: 'success', facts: { nonce: 4 } },
    settled(step, { 'contract.core.Token': { address: '0xA', transaction: '0x1' } }, { message: 'fine' }),
    { type: 'step-duplicated', at: AT, step, facts: { address: '0xB' } },
    intended('tag.v1#1', { 'tag.v1': { name: 'v1' } }),
    settled('tag.v1#1', {}, { state: 'undecided', grade: 'D' }),
    {
      type: 'step-resolved',
      at: AT,
      step: 'tag.v1#1',
      decision: 'adopt',
      outputs: { 'tag.v1': { id: '9' } },
      statement: 'seen in the portal',
      by: 'ann',
    },
    { type: 'resource-moved', at: AT, from: 'tag.v1', to: 'tag.first' },
    { type: 'resource-forgotten', at: AT, id: 'tag.v0' },
    { type: 'run-ended', at: AT, run: 'r1', result: 'done' },
  ];
}

const NAMES = fc.constantFrom('a', 'b', 'c d', '日本', 'x#1', '{"h":"', '\n');
const IDS = NAMES.map((name): ResourceId => `tag.${name}`);
const JSON_VALUE = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

/** Any event that is well shaped, though a sequence of them need not fold. */
export const ANY_EVENT: fc.Arbitrary<JournalEvent> = fc.oneof(
  fc.tuple(IDS, JSON_VALUE).map(([id, value]) => intended(`${id}#1`, { [id]: value }, { before: value })),
  fc.tuple(IDS, fc.string()).map(([id, text]) => settled(`${id}#1`, { [id]: { note: text } })),
  fc.tuple(IDS, fc.string()).map(([id, note]) => adopted(id, { note })),
  fc.tuple(IDS, IDS).map(([from, to]): JournalEvent => ({ type: 'resource-moved', at: AT, from, to })),
);

/** The lock that events amount to; undefined for none. @throws JOURNAL_CORRUPT */
export function projectLock(events: Iterable<JournalEvent>): Lock | undefined {
  return new LineageState(events).lock;
}

/** Every attempt of some events, oldest first. @throws JOURNAL_CORRUPT */
export function foldAttempts(events: Iterable<JournalEvent>): ReadonlyMap<StepId, Attempt> {
  return new LineageState(events).attempts;
}
