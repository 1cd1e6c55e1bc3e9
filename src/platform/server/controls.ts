import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isJsonObject, member, type Json, type JsonObject } from '../../model/json.js';
import { LARGE_BODY_BYTES } from '../bodies/body-limits.js';
import type { PlatformClock } from '../clock.js';
import { decisionJson, readDecisions } from '../faults/decision-text.js';
import { RuleRefused } from '../faults/beside.js';
import type { Faults } from '../faults/faults.js';
import type { RuleProblem } from '../faults/place.js';
import { problemText, readRules, ruleJson } from '../faults/rule-reader.js';
import { faultJson } from '../faults/rules.js';
import { millisecondsOf } from '../faults/time-text.js';
import { invalid, notFound, ServiceError } from '../handlers/handler.js';
import { saveClock } from '../state/clock-setting.js';
import type { Records } from '../state/records.js';
import { FIRST_ORGANISATION } from '../state/seed.js';
import { timestampOf } from '../state/timestamp.js';
import type { Gate } from '../admission/gate.js';

/** What these routes control. */
export interface ControlParts {
  readonly faults: Faults;
  readonly clock: PlatformClock;
  /** Lets the chain tell the time too. */
  readonly tellTime: () => Promise<void>;
  readonly records: Records;
  readonly gate: Gate;
}

/** Largest log of decisions that is replayed, in bytes. */
const REPLAY_BYTES = 8 * LARGE_BODY_BYTES;

/** Farthest that a clock is advanced at a time, in milliseconds: a year and a day. */
const FARTHEST = 367 * 86_400_000;

type Run = (org: string, request: FastifyRequest) => unknown;

/**
 * Routes for whoever tests against the platform: faults, of the key's own organisation, and the clock, for the
 * operator's key. A platform for others does not have them unless it is told to.
 */
export function mountControls(server: FastifyInstance, parts: ControlParts): void {
  const { faults, clock, gate } = parts;
  const route = (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    run: Run,
    bodyLimit = LARGE_BODY_BYTES,
  ): void => {
    server.route({
      method,
      url: `/_platform${path}`,
      bodyLimit,
      onRequest: gate.identify(method === 'GET' ? 'read' : 'operate'),
      handler: async (request) => ({ message: 'Success', result: await run(gate.orgOf(request), request) }),
    });
  };
  route('GET', '/faults', (org) => faultsJson(faults, org));
  route('POST', '/faults', (org, request) => addRules(faults, org, request.body as Json | undefined));
  route('DELETE', '/faults', async (org) => {
    await faults.clear(org);
    return faultsJson(faults, org);
  });
  route('DELETE', '/faults/:name', async (org, request) => {
    if (!(await faults.clear(org, (request.params as { readonly name: string }).name))) throw notFound();
    return faultsJson(faults, org);
  });
  route('GET', '/faults/log', (org) => logJson(faults, org));
  route(
    'POST',
    '/faults/replay',
    (org, request) => replay(faults, org, request.body as Json | undefined),
    REPLAY_BYTES,
  );
  route('GET', '/clock', (org) => clockJson(ownersClock(clock, org)));
  route('POST', '/clock', async (org, request) => {
    const moved = await setClock(ownersClock(clock, org), request.body as Json | undefined);
    await saveClock(parts.records, clock.setting());
    if (moved) await parts.tellTime();
    return clockJson(clock);
  });
}

function faultsJson(faults: Faults, org: string): JsonObject {
  const { seed, replaying, rules } = faults.state(org);
  const rows = rules.map(({ name, rule, matched, fired }) => ({
    ...ruleJson({ ...rule, name }, faultJson(rule.fault)),
    matched,
    fired,
  }));
  return { seed: seed ?? null, replaying, rules: rows };
}

async function addRules(faults: Faults, org: string, body: Json | undefined): Promise<JsonObject> {
  const read = readRules(body ?? null);
  if (!read.ok) throw refusal(read.problems);
  await refusable('rules', () => faults.add(org, read.rules));
  return faultsJson(faults, org);
}

async function replay(faults: Faults, org: string, body: Json | undefined): Promise<JsonObject> {
  const read = readDecisions(member(body, 'decisions'));
  if (!read.ok) throw refusal(read.problems);
  await refusable('decisions', () => faults.replay(org, read.decisions));
  return faultsJson(faults, org);
}

function logJson(faults: Faults, org: string): readonly Json[] {
  return faults
    .logged(org)
    .map(({ seq, at, ...decision }) => ({ seq, at: timestampOf(at), ...decisionJson(decision) }));
}

/** The clock is everybody's, so only the operator may look behind it. */
function ownersClock(clock: PlatformClock, org: string): PlatformClock {
  if (org !== FIRST_ORGANISATION) throw notFound();
  return clock;
}

function clockJson(clock: PlatformClock): JsonObject {
  const { now, ahead, frozen } = clock.state();
  return { now: timestampOf(now), ahead_ms: ahead, frozen };
}

/**
 * Does one of `{freeze: true}`, `{resume: true}`, `{advance: "15m"}` and `{set: "2027-01-01T00:00:00Z"}`; answers whether
 * the time is another now.
 */
async function setClock(clock: PlatformClock, body: Json | undefined): Promise<boolean> {
  const [[name, value] = ['', null], ...others] = Object.entries(isJsonObject(body) ? body : {});
  if (others.length > 0) throw new ServiceError(422, 'One change of the clock is made at a time.');
  if (name === 'freeze' && value === true) clock.freeze();
  else if (name === 'resume' && value === true) clock.resume();
  else {
    await clock.advance(targetOf(clock.now(), name, value));
    return true;
  }
  return false;
}

/** The time that the clock is to go to. @throws ServiceError 422 */
function targetOf(now: number, name: string, value: Json): number {
  const to = name === 'advance' ? advanced(now, value) : name === 'set' ? timeOf(value) : undefined;
  const fault =
    to === undefined
      ? 'freeze, resume, advance (15m) or set (a time) belongs here.'
      : to < now
        ? 'The clock does not go back: what is recorded would lie ahead.'
        : 'The clock goes a year on at most.';
  if (to === undefined || to < now || to - now > FARTHEST) throw invalid({ [name || 'advance']: [fault] });
  return to;
}

function advanced(now: number, by: Json): number | undefined {
  const milliseconds = typeof by === 'string' ? millisecondsOf(by) : undefined;
  return milliseconds === undefined ? undefined : now + milliseconds;
}

function timeOf(value: Json): number | undefined {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function refusal(problems: readonly RuleProblem[]): ServiceError {
  const texts = new Map<string, string[]>();
  for (const problem of problems) {
    const at = problem.path.join('.') || 'document';
    texts.set(at, [...(texts.get(at) ?? []), problemText(problem)]);
  }
  return invalid(Object.fromEntries(texts));
}

async function refusable(field: string, change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (cause) {
    throw cause instanceof RuleRefused ? invalid({ [field]: [cause.message] }) : cause;
  }
}
