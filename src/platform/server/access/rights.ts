import { REQUIRED_SCOPE, SCOPES, type Scope } from '../../../protocol/key.js';
import type { Json, JsonObject } from '../../../model/json.js';
import { millisecondsOf } from '../../faults/time-text.js';
import type { Fields } from '../../handlers/fields.js';
import { ServiceError } from '../../handlers/handler.js';
import { timestampOf } from '../../state/timestamp.js';
import type { KnownKey, Rights } from './keys.js';

/** The 403 of a key that is not allowed to what it asks for. */
export class ScopeMissing extends ServiceError {
  readonly scope: Scope;

  constructor(scope: Scope) {
    super(403, `This API key may not do that: it lacks the scope ${scope}.`);
    this.name = 'ScopeMissing';
    this.scope = scope;
  }
}

/** What a refusal says to programs, beside its message. */
export function factsOfRefusal(cause: unknown): JsonObject {
  return cause instanceof ScopeMissing ? { [REQUIRED_SCOPE]: cause.scope } : {};
}

/**
 * Holds a key to its rights.
 *
 * @param scope undefined: any key will do
 * @param now milliseconds since 1970
 * @throws ServiceError 401 when the key has expired, 403 when it lacks the scope
 */
export function checkRights(key: Rights, scope: Scope | undefined, now: number): void {
  const { scopes, expires_at: end } = key;
  if (end !== null && Date.parse(end) <= now)
    throw new ServiceError(401, `This API key has expired, at ${end}. Ask for a new one.`);
  if (scope !== undefined && !scopes.includes(scope)) throw new ScopeMissing(scope);
}

/** What a key gets that nobody described: enough for releases. */
const USUAL: readonly Scope[] = ['read', 'write'];

/** Longest life that is asked for as a length of time, in milliseconds: ten years. */
const LONGEST = 3660 * 86_400_000;

/**
 * Reads the rights that a new key is to have: `scopes`, a list or words with commas, and `expires`, a time such as `90d`
 * or a date. None are given that the giver does not have, and none for longer; what is not asked for ends with the
 * giver's own.
 *
 * @param now milliseconds since 1970
 */
export function readRights(fields: Fields, giver: KnownKey, now: number): Rights {
  const asked = scopesOf(fields.value('scopes'));
  if (asked === undefined || asked.length === 0) fields.fault('scopes', `takes ${SCOPES.join(', ')}.`);
  const given =
    fields.value('scopes') === undefined ? USUAL.filter((one) => giver.scopes.includes(one)) : (asked ?? []);
  const beyond = given.filter((scope) => !giver.scopes.includes(scope));
  if (beyond.length > 0)
    fields.fault('scopes', `goes beyond the key that asks, which lacks ${beyond.join(', ')}.`);
  return { scopes: SCOPES.filter((scope) => given.includes(scope)), expires_at: endOf(fields, giver, now) };
}

function scopesOf(value: Json | undefined): readonly Scope[] | undefined {
  if (value === undefined) return USUAL;
  const list = typeof value === 'string' ? value.split(/[\s,]+/).filter((word) => word !== '') : value;
  if (!Array.isArray(list)) return undefined;
  const named = SCOPES.filter((scope) => (list as readonly Json[]).includes(scope));
  return (list as readonly Json[]).every((word) => (SCOPES as readonly Json[]).includes(word))
    ? named
    : undefined;
}

function endOf(fields: Fields, giver: KnownKey, now: number): string | null {
  const text = fields.optionalText('expires', 40);
  if (text === undefined) return giver.expires_at;
  const end = timeOf(text, now);
  if (end === undefined) fields.fault('expires', 'takes a length of time, such as 90d, or a date.');
  else if (end <= now) fields.fault('expires', 'must be in the future.');
  else if (giver.expires_at !== null && end > Date.parse(giver.expires_at))
    fields.fault('expires', `must not be after the end of the key that asks, ${giver.expires_at}.`);
  else return timestampOf(end);
  return null;
}

function timeOf(text: string, now: number): number | undefined {
  const length = millisecondsOf(text);
  if (length !== undefined) return length <= LONGEST ? now + length : undefined;
  // Year first, so that nobody's habit of writing dates is guessed; a time without a zone is UTC, as a date is.
  const [, date, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const end = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(end) ? undefined : end;
}
