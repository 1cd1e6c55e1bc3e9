import { createHash } from 'node:crypto';
import { fitsPattern, type FaultRule, type Times } from './rules.js';

/** A request, as rules see it. */
export interface RequestEvent {
  readonly type: 'request';
  readonly org: string;
  /** Name of the operation. */
  readonly of: string;
  readonly method: string;
  readonly path: string;
  readonly project: string | undefined;
  /** True when a field of the request holds this text. */
  readonly carries: (text: string) => boolean;
}

/** A callback that is about to be sent. */
export interface CallbackEvent {
  readonly type: 'callback';
  readonly org: string;
  /** What it tells of. */
  readonly of: string;
  readonly project: string | undefined;
  /** Which sending of it this is, from 1. */
  readonly attempt: number;
}

/** What a fault may befall. */
export type FaultEvent = RequestEvent | CallbackEvent;

/**
 * What counts events: those of one organisation and operation, or kind of callback. Sendings after the first are
 * counted apart: how many there are depends on the receiver.
 */
export function streamOf(event: FaultEvent): string {
  const { type, org, of } = event;
  const isAgain = event.type === 'callback' && event.attempt > 1;
  return `${org} ${type} ${of}${isAgain ? '.again' : ''}`;
}

/** True when a rule is about an event; how often it fires is another question. */
export function isAbout(rule: FaultRule, event: FaultEvent): boolean {
  return event.type === 'request' ? isAboutRequest(rule, event) : isAboutCallback(rule, event);
}

function isAboutRequest({ request }: FaultRule, event: RequestEvent): boolean {
  if (request === undefined) return false;
  const { operation, method, path, organisation, project, marker } = request;
  const fits = allFit([
    [operation, event.of],
    [method, event.method],
    [path, event.path],
    [organisation, event.org],
    [project, event.project],
  ]);
  return fits && (marker === undefined || event.carries(marker));
}

/** Attempts that a rule is about unless it says others. */
const FIRST = [1];

function isAboutCallback({ callback }: FaultRule, event: CallbackEvent): boolean {
  if (callback === undefined) return false;
  const { of, organisation, project, attempt = FIRST } = callback;
  if (attempt !== 'any' && !attempt.includes(event.attempt)) return false;
  return allFit([
    [of, event.of],
    [organisation, event.org],
    [project, event.project],
  ]);
}

/** True when every value fits its pattern; no pattern, and any value does. */
function allFit(
  pairs: readonly (readonly [pattern: string | undefined, value: string | undefined])[],
): boolean {
  return pairs.every(([pattern, value]) => pattern === undefined || fitsPattern(pattern, value ?? ''));
}

/** What a draw depends on, and nothing else. */
export interface Draw {
  readonly seed: number;
  /** Name of the rule. */
  readonly rule: string;
  /** Which event of the rule it is, from 1. */
  readonly nth: number;
}

/** Whether a rule befalls its event of this number: the same answer for the same rule, seed and number, always. */
export function fires(times: Times, draw: Draw): boolean {
  const { nth, every, chance, first, after = 0 } = times;
  const number = draw.nth - after;
  return (
    number >= 1 &&
    (first === undefined || number <= first) &&
    (nth === undefined || nth.includes(number)) &&
    (every === undefined || number % every === 0) &&
    (chance === undefined || drawn(draw, 'chance') < chance)
  );
}

/** One of some things, drawn from the seed. */
export function choose<Thing>(draw: Draw, what: string, things: readonly [Thing, ...Thing[]]): Thing {
  return things[Math.floor(drawn(draw, what) * things.length)] ?? things[0];
}

/** A number from 0 up to, not including, 1. */
function drawn({ seed, rule, nth }: Draw, what: string): number {
  const digest = createHash('sha256')
    .update(`${String(seed)}\0${rule}\0${String(nth)}\0${what}`)
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}
