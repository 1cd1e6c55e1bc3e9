import { isJsonObject, textMember, type Json, type JsonObject } from '../../model/json.js';
import type { Decision } from './decisions.js';
import { readFault } from './fault-reader.js';
import { Place, type RuleProblem } from './place.js';
import { faultJson } from './rules.js';

/** Decisions of one log that are replayed at most. */
const MOST_DECISIONS = 100_000;

const STREAM = /^[a-z0-9-]{1,60} (request|callback) [a-z.-]{1,60}$/;
const RULE = /^[a-z0-9-]{1,60}$/;

/** A decision as logs write it: no body, no address and nothing of the request but what it asked for. */
export function decisionJson({ stream, nth, rule, fault }: Decision): JsonObject {
  return { stream, nth, rule, fault: fault === null ? null : faultJson(fault) };
}

/**
 * Reads decisions from a list in the form of a log.
 *
 * @returns them, or every mistake
 */
export function readDecisions(
  value: Json | undefined,
):
  | { readonly ok: true; readonly decisions: readonly Decision[] }
  | { readonly ok: false; readonly problems: readonly RuleProblem[] } {
  const problems: RuleProblem[] = [];
  const decisions = new Place(value, [], problems).items(MOST_DECISIONS).map(readDecision);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, decisions };
}

/**
 * The decisions of a log's last session, each line's JSON as it stands; a line cut off by a crash is left out.
 *
 * @returns undefined when the text is no log of faults
 */
export function lastSession(text: string): readonly Json[] | undefined {
  const lines = text.split('\n').flatMap((line) => parsed(line));
  const session = textMember(lines.at(-1), 'session');
  if (session === undefined || lines.some((line) => !isJsonObject(line))) return undefined;
  return lines
    .filter((line) => textMember(line, 'session') === session)
    .map((line) => {
      const { session: _session, at: _at, ...decision } = line as JsonObject;
      return decision;
    });
}

function parsed(line: string): readonly Json[] {
  if (line === '') return [];
  try {
    return [JSON.parse(line) as Json];
  } catch {
    return [];
  }
}

function readDecision(place: Place): Decision {
  const { stream, nth, rule, fault } = place.members(['stream', 'nth', 'rule', 'fault']);
  const name = stream.text(STREAM, 'The stream of a decision');
  const on = name.includes(' callback ') ? 'callback' : 'request';
  return {
    stream: name,
    nth: nth.whole(1, 1_000_000_000),
    rule: rule.text(RULE, 'The name of a rule'),
    fault: fault.value === null ? null : readFault(fault, on),
  };
}
