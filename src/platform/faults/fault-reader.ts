import { isJsonObject } from '../../model/json.js';
import type { Place } from './place.js';
import { FORGERIES, SHAPES, type Fault } from './rules.js';

/**
 * Longest wait before work begins, in milliseconds. The platform tells its clients how late it may begin a request
 * (`max_execution_delay_ms` of `GET /health`); no fault may make that a lie.
 */
const LONGEST_BEFORE = 10_000;

/** Longest wait for an answer, in milliseconds. */
const LONGEST_SLOW = 600_000;

const A_MONTH = 31 * 86_400_000;

/** Statuses of refusals: before anything is done. */
const REFUSALS = [400, 401, 403, 404, 413, 415, 422];

const ERRORS = [500, 501, 502, 503, 504];

type Members = Readonly<Record<string, unknown>>;

/** How a fault is written: alone by its name, with its main member, or with all of them. */
interface Form {
  readonly on: 'request' | 'callback';
  readonly preset: Members;
  /** The member that a bare value stands for. */
  readonly main?: string;
  /** True: a value is needed. */
  readonly needs?: true;
  readonly members: Readonly<Record<string, (place: Place) => unknown>>;
}

function plain(on: Form['on']): Form {
  return { on, preset: {}, members: {} };
}

const FORMS: Readonly<Record<Fault['kind'], Form>> = {
  refuse: {
    on: 'request',
    preset: { status: 422 },
    main: 'status',
    members: {
      status: (place) => numberOf(place, REFUSALS),
      message: (place) => place.text(/^[^\0]{1,300}$/, 'A text of at most 300 characters'),
    },
  },
  status: {
    on: 'request',
    preset: { code: 500, committed: false },
    main: 'code',
    members: { code: (place) => numberOf(place, ERRORS), committed: (place) => place.flag() },
  },
  too_many: {
    on: 'request',
    preset: { after: 1000 },
    main: 'after',
    members: { after: (place) => place.time(3_600_000) },
  },
  slow: {
    on: 'request',
    preset: { before: false },
    main: 'by',
    needs: true,
    members: { by: (place) => place.time(LONGEST_SLOW), before: (place) => place.flag() },
  },
  drop_before_commit: plain('request'),
  drop_after_commit: plain('request'),
  cut_reply: plain('request'),
  late: {
    on: 'callback',
    preset: {},
    main: 'by',
    needs: true,
    members: { by: (place) => place.time(A_MONTH) },
  },
  lost: plain('callback'),
  twice: plain('callback'),
  reordered: plain('callback'),
  forged: { on: 'callback', preset: {}, main: 'as', members: { as: (place) => place.oneOf(FORGERIES) } },
  wrong_shape: { on: 'callback', preset: {}, main: 'as', members: { as: (place) => place.oneOf(SHAPES) } },
};

/** What stands for a fault that could not be read. */
const NONE: Fault = { kind: 'cut_reply' };

/**
 * Reads a fault: its name, or an object of its name and what it takes (`{slow: 3s}`, `{slow: {by: 3s, before: true}}`).
 *
 * @param on what the fault is to befall: others are mistakes
 */
export function readFault(place: Place, on: Form['on']): Fault {
  const names = (Object.keys(FORMS) as Fault['kind'][]).filter((kind) => FORMS[kind].on === on);
  if (!isJsonObject(place.value)) {
    const known = names.find((name) => name === place.value);
    if (known !== undefined) return finished(place, known, undefined);
    const written = typeof place.value === 'string' ? place.value : '';
    place.fault(`One of ${names.join(', ')} belongs here.`, { written, known: names });
    return NONE;
  }
  const [kind, ...others] = Object.keys(place.value);
  const places = place.members(names);
  if (kind === undefined || others.length > 0) place.fault('One fault belongs here.');
  const known = names.find((name) => name === kind);
  return known === undefined ? NONE : finished(place, known, places[known]);
}

function finished(at: Place, kind: Fault['kind'], value: Place | undefined): Fault {
  const { preset, main, needs, members } = FORMS[kind];
  const read = (): Members => {
    if (value === undefined || !value.given) return {};
    if (!isJsonObject(value.value)) {
      if (main !== undefined) return { [main]: members[main]?.(value) };
      value.fault(`${kind} takes nothing.`);
      return {};
    }
    const places = value.members(Object.keys(members));
    const given = Object.entries(places).filter(([, place]) => place.given);
    return Object.fromEntries(given.map(([name, place]) => [name, members[name]?.(place)]));
  };
  const all = { ...preset, ...read() };
  if (needs && main !== undefined && !(main in all)) at.fault(`${kind} needs \`${main}\`: { ${kind}: 3s }.`);
  if (
    kind === 'slow' &&
    'before' in all &&
    all['before'] === true &&
    Number((all as Members)['by']) > LONGEST_BEFORE
  )
    at.fault(`Work begins at most ${String(LONGEST_BEFORE / 1000)}s late: clients are promised so.`);
  return { kind, ...all } as Fault;
}

function numberOf(place: Place, numbers: readonly number[]): number {
  const found = numbers.find((number) => number === place.value);
  if (found === undefined) place.fault(`One of ${numbers.join(', ')} belongs here.`);
  return found ?? numbers[0] ?? 0;
}
