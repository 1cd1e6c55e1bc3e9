import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { JournalEvent } from './event.js';

type Shape = 'text' | 'number' | 'list' | 'object' | 'json' | 'true' | readonly string[];

/** A `?` at the end of a name: the member may be absent. */
type Members = Readonly<Record<string, Shape>>;

const GRADES = ['A', 'B', 'C', 'D', 'O'];

const MEMBERS = {
  'lineage-started': {
    version: 'number',
    lineage: 'text',
    target: 'object',
    'imported?': 'text',
    'serial?': 'number',
  },
  'run-started': { run: 'text', plan: 'text', changeSet: 'text', engine: 'text', 'bounded?': 'true' },
  'step-intended': {
    step: 'text',
    resources: 'list',
    operation: 'text',
    lane: 'text',
    token: 'text',
    request: 'text',
    before: 'json',
    inputs: 'object',
  },
  'step-answered': {
    step: 'text',
    outcome: ['not_sent', 'rejected', 'accepted', 'ambiguous'],
    'status?': 'number',
    'ids?': 'object',
    'message?': 'text',
  },
  'step-evidenced': {
    step: 'text',
    via: ['response', 'callback', 'read', 'chain', 'operator'],
    claim: ['success', 'failed', 'unparsed'],
    facts: 'object',
  },
  'step-settled': {
    step: 'text',
    state: ['confirmed', 'failed', 'undecided'],
    grade: GRADES,
    outputs: 'object',
    'message?': 'text',
    'looked?': 'list',
  },
  'step-duplicated': { step: 'text', facts: 'object' },
  'step-resolved': {
    step: 'text',
    decision: ['adopt', 'absent', 'keep'],
    'outputs?': 'object',
    'grade?': GRADES,
    'looked?': 'list',
    statement: 'text',
    by: 'text',
  },
  'resource-adopted': {
    id: 'text',
    outputs: 'object',
    inputs: 'json',
    grade: GRADES,
    'imported?': 'true',
    'step?': 'text',
    'statement?': 'text',
  },
  'resource-forgotten': { id: 'text' },
  'resource-moved': { from: 'text', to: 'text' },
  'key-accepted': {
    client: 'text',
    'organisation?': 'text',
    by: ['organisation', 'reads', 'operator'],
    'looked?': 'list',
  },
  'run-ended': { run: 'text', result: ['done', 'incomplete', 'undecided', 'interrupted'] },
} satisfies Record<JournalEvent['type'], Members>;

interface Rule {
  readonly key: string;
  readonly shape: Shape;
  readonly optional: boolean;
}

/** The members of each type, taken apart once. */
const RULES: ReadonlyMap<string, readonly Rule[]> = new Map(
  Object.entries<Members>(MEMBERS).map(([type, members]) => [
    type,
    Object.entries<Shape>({ at: 'text', ...members }).map(([name, shape]) => ({
      key: name.replace('?', ''),
      shape,
      optional: name.endsWith('?'),
    })),
  ]),
);

/** True when this version knows events of the type. */
export function isEventType(type: Json | undefined): type is JournalEvent['type'] {
  return typeof type === 'string' && Object.hasOwn(MEMBERS, type);
}

/** True for the type itself, and for members of which the type lists the values. */
export function isEnumerated(type: JournalEvent['type'], name: string): boolean {
  const rule = RULES.get(type)?.find(({ key }) => key === name);
  return name === 'type' || (rule !== undefined && typeof rule.shape !== 'string');
}

/** The first member that an event of a known type lacks or has in a wrong shape; undefined when all are right. */
export function misshapenMember(type: JournalEvent['type'], event: JsonObject): string | undefined {
  for (const { key, shape, optional } of RULES.get(type) ?? []) {
    const value = Object.hasOwn(event, key) ? event[key] : undefined;
    if (value === undefined ? !optional : !fits(value, shape)) return key;
  }
  return undefined;
}

function fits(value: Json, shape: Shape): boolean {
  if (typeof shape !== 'string') return typeof value === 'string' && shape.includes(value);
  switch (shape) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'true':
      return value === true;
    case 'json':
      return true;
  }
}
