import type { Json, JsonObject } from '../../model/json.js';
import { ENDPOINTS } from '../../protocol/endpoint.js';
import { readFault } from './fault-reader.js';
import { Place, type RuleProblem } from './place.js';
import {
  CALLBACK_KINDS,
  fitsPattern,
  type CallbackMatch,
  type FaultRule,
  type FaultRules,
  type RequestMatch,
  type Times,
} from './rules.js';

/** Rules of one document. */
const MOST_RULES = 100;

/** Numbers of `nth` in one rule. */
const MOST_NUMBERS = 100;

const LARGEST = 1_000_000_000;

/** Largest seed. */
const MAX_SEED = 4_294_967_295;

const NAME = /^[a-z0-9][a-z0-9-]{0,59}$/;
const PATTERN = /^[A-Za-z0-9._*-]{1,120}$/;

/**
 * Reads rules from the JSON value of a document (`schemas/faults.schema.json` describes it).
 *
 * @returns the rules, or every mistake
 */
export function readRules(
  document: Json,
):
  | { readonly ok: true; readonly rules: FaultRules }
  | { readonly ok: false; readonly problems: readonly RuleProblem[] } {
  const problems: RuleProblem[] = [];
  const top = new Place(document, [], problems).members(['windlass_faults', 'seed', 'rules']);
  if (top.windlass_faults.value !== 1)
    top.windlass_faults.fault('The version of the document, 1, belongs here.');
  const seed = top.seed.given ? { seed: top.seed.whole(0, MAX_SEED) } : {};
  const rules = top.rules.items(MOST_RULES).map(readRule);
  const names = new Set<string>();
  for (const [index, { name }] of rules.entries()) {
    if (name === undefined || name === '') continue;
    if (names.has(name)) top.rules.at(index, null).at('name', name).fault('Another rule has this name.');
    names.add(name);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, rules: { ...seed, rules } };
}

/** A mistake with its place in words: `rules[2].fault: One of … belongs here.` */
export function problemText({ path, message }: RuleProblem): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${String(step)}]` : `.${step}`)).join('');
  return place === '' ? message : `${place.replace(/^\./, '')}: ${message}`;
}

/** A rule as documents write it. */
export function ruleJson(rule: FaultRule, fault: Json): JsonObject {
  const { when, fault: _fault, ...rest } = rule;
  return {
    ...(rest as JsonObject),
    ...(Object.keys(when).length > 0 && { when: when as JsonObject }),
    fault,
  };
}

function readRule(place: Place): FaultRule {
  const { name, request, callback, when, fault } = place.members([
    'name',
    'request',
    'callback',
    'when',
    'fault',
  ]);
  const told = name.given
    ? { name: name.text(NAME, 'A name of at most 60 small letters, digits and dashes') }
    : {};
  if (request.given === callback.given) place.fault('A rule has either `request` or `callback`.');
  const match = request.given
    ? { request: readRequest(request) }
    : { callback: callback.given ? readCallback(callback) : {} };
  const on = request.given ? 'request' : 'callback';
  return { ...told, ...match, when: when.given ? readTimes(when) : {}, fault: readFault(fault, on) };
}

function readRequest(place: Place): RequestMatch {
  const { operation, method, path, organisation, project, marker } = place.members([
    'operation',
    'method',
    'path',
    'organisation',
    'project',
    'marker',
  ]);
  const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
  return {
    ...(operation.given && { operation: known(operation, 'operation', Object.keys(ENDPOINTS)) }),
    ...(method.given && { method: method.oneOf(methods) }),
    ...(path.given && {
      path: path.text(/^\/[\x21-\x7e]{0,199}$/, 'A path of at most 200 characters, from / on,'),
    }),
    ...readScope(organisation, project),
    ...(marker.given && { marker: marker.text(/^[^\0]{1,200}$/s, 'A text of at most 200 characters') }),
  };
}

function readCallback(place: Place): CallbackMatch {
  const names = ['of', 'organisation', 'project', 'attempt'] as const;
  const { of, organisation, project, attempt } = place.members(names);
  const readAttempt = (): NonNullable<CallbackMatch['attempt']> =>
    attempt.value === 'any' ? 'any' : readNumbers(attempt);
  return {
    ...(of.given && { of: known(of, 'callback', CALLBACK_KINDS) }),
    ...(attempt.given && { attempt: readAttempt() }),
    ...readScope(organisation, project),
  };
}

function readScope(organisation: Place, project: Place): Pick<RequestMatch, 'organisation' | 'project'> {
  return {
    ...(organisation.given && {
      organisation: organisation.text(/^([a-z0-9-]{1,60}|\*)$/, 'An organisation or *'),
    }),
    ...(project.given && { project: project.text(PATTERN, 'The slug of a project, or a pattern,') }),
  };
}

/** A pattern of names that at least one name fits. */
function known(place: Place, what: string, names: readonly string[]): string {
  const pattern = place.text(PATTERN, 'A name, or a pattern of names,');
  if (pattern !== '' && !names.some((name) => fitsPattern(pattern, name)))
    place.fault(`No ${what} is called ${pattern}.`, { written: pattern, known: names });
  return pattern;
}

function readTimes(place: Place): Times {
  const { nth, every, chance, first, after } = place.members(['nth', 'every', 'chance', 'first', 'after']);
  return {
    ...(nth.given && { nth: readNumbers(nth) }),
    ...(every.given && { every: every.whole(1, LARGEST) }),
    ...(chance.given && { chance: chance.share() }),
    ...(first.given && { first: first.whole(1, LARGEST) }),
    ...(after.given && { after: after.whole(1, LARGEST) }),
  };
}

function readNumbers(place: Place): readonly number[] {
  if (!Array.isArray(place.value)) return [place.whole(1, LARGEST)];
  const numbers = place.items(MOST_NUMBERS).map((item) => item.whole(1, LARGEST));
  if (place.value.length === 0) place.fault('At least one number belongs here.');
  return numbers;
}
