import { WindlassError } from '../../src/model/error.js';
import type { StepId } from '../../src/model/id.js';
import type { JsonObject } from '../../src/model/json.js';
import type { Service } from '../../src/execute/ports.js';
import type { WriteRequest } from '../../src/kinds/operation.js';
import { classifyWrite } from '../../src/remote/classify.js';
import type { Exchange, HttpResponse } from '../../src/remote/exchange.js';
import type { KnownLists } from '../../src/remote/growing-list.js';
import { answerRead } from '../../src/remote/reads.js';
import { ownAnswer } from '../../src/remote/signed.js';
import { ENDPOINTS } from '../../src/protocol/endpoint.js';
import type { Capability } from '../../src/protocol/endpoint.js';
import { SIGN } from '../../src/protocol/sign.js';
import { signedCreation } from './accounts.js';
import { allowedFor, COURSES, FOREIGN, html } from './courses.js';
import { FAULTS, type Fault } from './decisions.js';
import { sendCallbacks } from './callbacks.js';
import type { Rpc } from '../../src/remote/rpc.js';
import { answerCall } from './node.js';
import { answerGet, jsonResponse } from './pages.js';
import { Refusal, type Executed } from './platform.js';
import type { SimProcess } from './process.js';
import { isOwn } from './profiles.js';
import type { World } from './world.js';

const LATENCY_MS = 2;
const DOWN_MS = 20_000;
/** Our own platform is back while reads still wait for it, just before it finishes what it had begun. */
const OWN_DOWN_MS = 8_000;
const OVERDUE_MS = 50 * 60_000;
/** How long reads are repeated before they give up. */
const PATIENCE_MS = 10_000;
/** How long our own platform holds a settled read (`protocol/settled.ts`). */
const SETTLED_PATIENCE_MS = 5_000;
const NOTHING = jsonResponse(200, null);
/** Where nothing signs answers, what looks like one is one. */
const UNSIGNED_READS = FAULTS.read.filter((fault) => fault !== 'foreign' && fault !== 'stale');

/** The service as one process reaches it: the engine's own classing and reading of answers, over a network that fails. */
export function serviceFor(world: World, process: SimProcess): Service {
  const capabilities: ReadonlySet<Capability> = new Set(world.profile.capabilities);
  const base = new URL('https://service.example.com');
  const lists: KnownLists = new Map();
  const get = (path: string): Promise<HttpResponse> => getPage(world, process, path);
  const rpc = world.profile.chain === true ? nodeFor(world, process) : undefined;
  return {
    read: async (request, settled) => {
      for (let wait = process.ready(); wait; wait = process.ready()) await wait;
      if (settled === true && world.signs && !(await world.chain.settle(SETTLED_PATIENCE_MS)))
        return { type: 'unreadable', message: 'GET: HTTP 503' };
      const answer = await answerRead({ lists, capabilities, base, rpc, get, secrets: () => [] }, request);
      for (let wait = process.ready(); wait; wait = process.ready()) await wait;
      return answer;
    },
    write: async (request, url, step) => {
      process.checks.handed(step);
      for (let wait = process.ready(); wait; wait = process.ready()) await wait;
      const exchange = await exchangeWrite(world, process, request, { url, step });
      for (let wait = process.ready(); wait; wait = process.ready()) await wait;
      return classifyWrite(exchange, world.time.clockMs);
    },
  };
}

async function getPage(world: World, process: SimProcess, path: string): Promise<HttpResponse> {
  const fault = await reach(world, process);
  const page = pageFor(world, path, fault);
  if (!world.signs) return page;
  return ownAnswer(fault === 'none' ? bearingSign(page) : page, SIGN_OF_ALL, false);
}

function pageFor(world: World, path: string, fault: Fault<'read'>): HttpResponse {
  if (fault === 'unreadable') return jsonResponse(500, { message: 'oops' });
  if (fault === 'html') return html(200)();
  if (fault === 'foreign') return jsonResponse(404, { message: 'no Route matched with those values' });
  const page = answerGet(world.platform, path, world.time.nowMs);
  const first = world.strays.pageOf(path, page);
  return fault === 'stale' ? first : page;
}

/** Which sign it is makes no difference here: an answer bears that of its request or none. */
const SIGN_OF_ALL = 'a sign';

function bearingSign(answer: HttpResponse): HttpResponse {
  return { ...answer, headers: { ...answer.headers, [SIGN]: SIGN_OF_ALL } };
}

/** A node of the chain, as one process reaches it. */
function nodeFor(world: World, process: SimProcess): Rpc {
  return {
    call: async (method, params) => {
      const fault = await reach(world, process);
      if (fault !== 'none') throw new WindlassError('REMOTE_ANSWER', 'the RPC node: no JSON-RPC');
      return answerCall(world.platform, method, params);
    },
    close: async () => undefined,
  };
}

/** The way of a read. @throws REMOTE_UNREACHABLE */
async function reach(world: World, process: SimProcess): Promise<Fault<'read'>> {
  world.reads += 1;
  const fault = world.decisions.next('read', world.signs ? FAULTS.read : UNSIGNED_READS);
  if (fault === 'kill') process.die('kill');
  for (let wait = process.ready(); wait; wait = process.ready()) await wait;
  await world.time.pass(LATENCY_MS);
  if (world.isDown) {
    await world.time.pass(Math.min(PATIENCE_MS, world.downUntilMs - world.time.nowMs + LATENCY_MS));
    if (world.isDown) throw new WindlassError('REMOTE_UNREACHABLE', 'GET: connection refused');
  }
  for (let wait = process.ready(); wait; wait = process.ready()) await wait;
  if (fault === 'unreachable') throw new WindlassError('REMOTE_UNREACHABLE', 'GET: connection refused');
  return fault;
}

async function exchangeWrite(
  world: World,
  process: SimProcess,
  request: WriteRequest,
  { url, step }: { readonly url: string | undefined; readonly step: StepId | undefined },
): Promise<Exchange> {
  const { strays } = world;
  const hearer = world.signs ? undefined : process;
  const stray = strays.answerTo(request.endpoint, hearer);
  const fault = world.decisions.next('write', allowedFor(world, request, stray !== undefined));
  if (fault === 'kill') process.die('kill');
  for (let wait = process.ready(); wait; wait = process.ready()) await wait;
  if (world.isDown || fault === 'refused') return COURSES.refused.answer(NOTHING, NOTHING);
  world.writes += 1;
  process.checks.firstByte(request, url, step);
  const { aheadMs } = world.time;
  if (world.isClockPutBack) world.time.aheadMs = 0;
  await world.time.pass(LATENCY_MS);
  const exchange = await send(world, process, request, { fault, url, stray: stray ?? NOTHING, aheadMs });
  strays.heard(exchange, process);
  if (!world.signs || exchange.type === 'broken') return exchange;
  return ownAnswer(FOREIGN.has(fault) ? exchange : bearingSign(exchange), SIGN_OF_ALL, true);
}

/** What befalls a request on its way. */
interface Sending {
  readonly fault: Fault<'write'>;
  readonly url: string | undefined;
  readonly stray: HttpResponse;
  /** How far the clock was ahead that tells until when it may be begun. */
  readonly aheadMs: number;
}

/** The request has arrived. */
async function send(
  world: World,
  process: SimProcess,
  request: WriteRequest,
  { fault, url, stray, aheadMs }: Sending,
): Promise<Exchange> {
  const course = COURSES[fault];
  const token = request.takesCallback ? url?.split('/').at(-1) : undefined;
  if (token !== undefined) world.leaked.push(token);
  const execute = (): HttpResponse => executeWrite(world, request, { token, fault });
  const response = course.executes === 'now' ? arrive(world, fault, execute) : NOTHING;
  if (course.executes === 'now' && response.status === 200) world.strays.keep(request.endpoint, response);
  if (course.executes === 'late') executeLate(world, aheadMs, execute);
  if (course.executes === 'overdue') world.onPlatform(OVERDUE_MS, execute);
  strike(world, process, fault);
  for (let wait = process.ready(); wait; wait = process.ready()) await wait;
  await world.time.pass(course.afterMs ?? LATENCY_MS);
  return response.status === 422 ? response : course.answer(response, stray);
}

/** A middlebox delivers the request again, and both deliveries are executed. */
const REPEATS: ReadonlySet<Fault<'write'>> = new Set(['repeated', 'repeated-answered-last']);

/** A middlebox delivers the request again and hands on that the second was refused; the first was executed. */
const HIDES: ReadonlySet<Fault<'write'>> = new Set(['repeated-limited', 'repeated-refused']);

/** Executes what arrives as often as it does. Which answer a middlebox hands on is its own affair. */
function arrive(world: World, fault: Fault<'write'>, execute: () => HttpResponse): HttpResponse {
  const first = execute();
  // No read of another service tells what has no outcome yet, so that what a refusal hides may be made a second time.
  const mayDouble = REPEATS.has(fault) || (HIDES.has(fault) && !isOwn(world.profile));
  // Before the second delivery: what it makes at once is checked against it.
  if (mayDouble && first.status === 200) world.repeats += 1;
  if (!REPEATS.has(fault)) return first;
  const second = execute();
  return fault === 'repeated' ? first : second;
}

/** What a fault does besides to the exchange. */
function strike(world: World, process: SimProcess, fault: Fault<'write'>): void {
  if (fault === 'platform-restart')
    world.downUntilMs = world.time.nowMs + (isOwn(world.profile) ? OWN_DOWN_MS : DOWN_MS);
  if (fault === 'kill-after') process.die('kill');
  if (fault === 'power-after') process.die('power');
}

/** As late as the service allows itself; later, when the clock that it goes by was put back meanwhile. */
function executeLate(world: World, aheadMs: number, execute: () => void): void {
  const { time } = world;
  world.onPlatform(lateMs(world), () => {
    if (time.aheadMs >= aheadMs) return execute();
    // What a run concluded while the clock was ahead once more, a clock that is put back again can undo.
    const { aheads } = time;
    world.onPlatform(aheadMs, () => (time.aheads === aheads ? execute() : undefined));
  });
}

function lateMs({ profile }: World): number {
  return profile.pace.executionBoundMs === undefined ? 60_000 : profile.pace.executionBoundMs - 10;
}

/** What a stranger may do too, so that nothing but its transaction tells whose it is. */
const TWINS: ReadonlySet<string> = new Set([
  'audit.record.create',
  'audit.contract.create',
  'certificate.contract.create',
  'certificate.mint',
]);

/** The wallet of somebody else who releases the same version from a plan of their own. */
const NEIGHBOUR = `0x${'77'.repeat(20)}`;

/** Somebody else deploys the same version; nobody calls back about that here. */
function deployBeside(world: World, request: WriteRequest, how: Fault<'neighbour'>): void {
  const items = request.body['deployment_params'];
  const isSigned =
    Array.isArray(items) && items.some((item) => signedCreation(item as JsonObject) !== undefined);
  if (how === 'none' || isSigned) return;
  const options = request.body['wallet_options'] as JsonObject;
  const wallet = how === 'other-wallet' ? { ...options, address: NEIGHBOUR } : options;
  const theirs = { ...request, body: { ...request.body, wallet_options: wallet } };
  const foreign = how === 'other-wallet';
  const executed = world.platform.execute(theirs, { reverted: false, lagMs: 0, strange: true, foreign });
  sendCallbacks(world, { executed, token: undefined, endpoint: request.endpoint });
}

function executeWrite(
  world: World,
  request: WriteRequest,
  { token, fault }: { readonly token: string | undefined; readonly fault: Fault<'write'> },
): HttpResponse {
  const { platform, profile, decisions } = world;
  const own = isOwn(profile);
  // Our own platform's lists show what the chain has at once.
  const lagMs = own ? 0 : { none: 0, short: 10_000, long: 29_000 }[decisions.next('index')];
  const before = platform.truth.effects.length;
  let executed: Executed;
  try {
    executed = platform.execute(request, { reverted: fault === 'reverted', lagMs });
  } catch (thrown) {
    if (thrown instanceof Refusal) return jsonResponse(422, { message: thrown.message });
    throw thrown;
  }
  world.checkEffects(before);
  sendCallbacks(world, { executed, token, endpoint: request.endpoint });
  if (fault !== 'reverted' && TWINS.has(request.endpoint) && decisions.next('twin') === 'same') {
    const twin = platform.execute(request, { reverted: false, lagMs, strange: true });
    sendCallbacks(world, { executed: twin, token: undefined, endpoint: request.endpoint });
  }
  if (fault !== 'reverted' && request.endpoint === 'version.deploy')
    deployBeside(world, request, decisions.next('neighbour'));
  const frame = ENDPOINTS[request.endpoint].envelope === 'message' ? { message: 'Success' } : { status: 200 };
  return jsonResponse(200, { ...frame, result: executed.result });
}
