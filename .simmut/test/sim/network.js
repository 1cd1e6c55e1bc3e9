import { WindlassError } from '../../src/model/error.js';
import { classifyWrite } from '../../src/remote/classify.js';
import { answerRead } from '../../src/remote/reads.js';
import { ENDPOINTS } from '../../src/protocol/endpoint.js';
import { sendCallbacks } from './callbacks.js';
import { answerGet, jsonResponse } from './pages.js';
import { Refusal } from './platform.js';
const LATENCY_MS = 2;
const TIMEOUT_MS = 30_000;
const DOWN_MS = 20_000;
const OVERDUE_MS = 50 * 60_000;
/** How long reads are repeated before they give up. */
const PATIENCE_MS = 10_000;
/** How long our own platform holds a settled read (`protocol/settled.ts`). */
const SETTLED_PATIENCE_MS = 5_000;
const RESET = { type: 'broken', sent: true, message: 'connection reset', tooLong: false };
const keep = (response) => response;
const reset = () => RESET;
function status(code, headers = {}) {
    return () => jsonResponse(code, { message: `HTTP ${code}` }, headers);
}
function html(code) {
    return () => ({
        type: 'response',
        status: code,
        headers: {},
        body: Buffer.from('<html>Bad gateway</html>'),
    });
}
const COURSES = {
    none: { executes: 'now', answer: keep },
    refused: {
        executes: 'no',
        answer: () => ({ ...RESET, sent: false, message: 'connection refused' }),
    },
    lost: { executes: 'no', answer: reset, afterMs: TIMEOUT_MS },
    unanswered: { executes: 'now', answer: reset },
    late: { executes: 'late', answer: reset },
    overdue: { executes: 'overdue', answer: reset },
    'error-before': { executes: 'no', answer: status(503) },
    'error-after': { executes: 'now', answer: html(502) },
    limited: { executes: 'no', answer: status(429, { 'retry-after': '2' }) },
    redirected: { executes: 'no', answer: status(307, { location: 'https://elsewhere.example' }) },
    'redirected-after': { executes: 'now', answer: status(302, { location: '/login' }) },
    cut: {
        executes: 'now',
        answer: (response) => ({ ...response, body: response.body.subarray(0, response.body.length / 2) }),
    },
    rejected: { executes: 'no', answer: status(422) },
    unnamed: {
        executes: 'now',
        answer: () => jsonResponse(200, { status: 200, message: 'Success', result: null }),
    },
    reverted: { executes: 'now', answer: keep },
    'conflict-after': { executes: 'now', answer: status(409) },
    'failure-in-200': { executes: 'now', answer: () => jsonResponse(200, { status: 500, message: 'oops' }) },
    'slow-answer': { executes: 'now', answer: keep, afterMs: 20_000 },
    kill: { executes: 'no', answer: reset },
    'kill-after': { executes: 'now', answer: keep },
    'power-after': { executes: 'now', answer: keep },
    'platform-restart': { executes: 'now', answer: reset },
    repeated: { executes: 'now', answer: keep },
    'repeated-answered-last': { executes: 'now', answer: keep },
    'repeated-limited': { executes: 'now', answer: status(429, { 'retry-after': '2' }) },
    'repeated-refused': { executes: 'now', answer: status(422) },
};
/** The service as one process reaches it: the engine's own classing and reading of answers, over a network that fails. */
export function serviceFor(world, process) {
    const capabilities = new Set(world.profile.capabilities);
    const base = new URL('https://service.example.com');
    const lists = new Map();
    const get = (path) => getPage(world, process, path);
    return {
        read: async (request, settled) => {
            for (let wait = process.ready(); wait; wait = process.ready())
                await wait;
            if (settled === true && isOwn(world.profile) && !(await world.chain.settle(SETTLED_PATIENCE_MS)))
                return { type: 'unreadable', message: 'GET: HTTP 503' };
            const answer = await answerRead({ lists, capabilities, base, rpc: undefined, get, secrets: () => [] }, request);
            for (let wait = process.ready(); wait; wait = process.ready())
                await wait;
            return answer;
        },
        write: async (request, url) => {
            for (let wait = process.ready(); wait; wait = process.ready())
                await wait;
            const exchange = await exchangeWrite(world, process, request, url);
            for (let wait = process.ready(); wait; wait = process.ready())
                await wait;
            return classifyWrite(exchange, world.time.nowMs);
        },
    };
}
async function getPage(world, process, path) {
    world.reads += 1;
    const fault = world.decisions.next('read');
    if (fault === 'kill')
        process.die('kill');
    for (let wait = process.ready(); wait; wait = process.ready())
        await wait;
    await world.time.pass(LATENCY_MS);
    if (world.isDown) {
        await world.time.pass(Math.min(PATIENCE_MS, world.downUntilMs - world.time.nowMs + LATENCY_MS));
        if (world.isDown)
            throw new WindlassError('REMOTE_UNREACHABLE', 'GET: connection refused');
    }
    for (let wait = process.ready(); wait; wait = process.ready())
        await wait;
    if (fault === 'unreachable')
        throw new WindlassError('REMOTE_UNREACHABLE', 'GET: connection refused');
    if (fault === 'unreadable')
        return jsonResponse(500, { message: 'oops' });
    if (fault === 'html')
        return html(200)();
    return answerGet(world.platform, path, world.time.nowMs);
}
async function exchangeWrite(world, process, request, url) {
    const fault = world.decisions.next('write', allowedFor(world, request));
    if (fault === 'kill')
        process.die('kill');
    for (let wait = process.ready(); wait; wait = process.ready())
        await wait;
    if (world.isDown || fault === 'refused')
        return COURSES.refused.answer(jsonResponse(200, null));
    world.writes += 1;
    process.checks.firstByte(request, url);
    await world.time.pass(LATENCY_MS);
    return send(world, process, request, { fault, url });
}
/** The request has arrived. */
async function send(world, process, request, { fault, url }) {
    const course = COURSES[fault];
    const token = request.takesCallback ? url?.split('/').at(-1) : undefined;
    if (token !== undefined)
        world.leaked.push(token);
    const execute = () => executeWrite(world, request, { token, fault });
    const response = course.executes === 'now' ? arrive(world, fault, execute) : jsonResponse(200, null);
    if (course.executes === 'late')
        world.onPlatform(lateMs(world), execute);
    if (course.executes === 'overdue')
        world.onPlatform(OVERDUE_MS, execute);
    strike(world, process, fault);
    for (let wait = process.ready(); wait; wait = process.ready())
        await wait;
    await world.time.pass(course.afterMs ?? LATENCY_MS);
    return response.status === 422 ? response : course.answer(response);
}
/** A middlebox delivers the request again, and both deliveries are executed. */
const REPEATS = new Set(['repeated', 'repeated-answered-last']);
/** A middlebox delivers the request again and hands on that the second was refused; the first was executed. */
const HIDES = new Set(['repeated-limited', 'repeated-refused']);
/** Executes what arrives as often as it does. Which answer a middlebox hands on is its own affair. */
function arrive(world, fault, execute) {
    const first = execute();
    // No read of another service tells what has no outcome yet, so that what a refusal hides may be made a second time.
    const mayDouble = REPEATS.has(fault) || (HIDES.has(fault) && !isOwn(world.profile));
    // Before the second delivery: what it makes at once is checked against it.
    if (mayDouble && first.status === 200)
        world.repeats += 1;
    if (!REPEATS.has(fault))
        return first;
    const second = execute();
    return fault === 'repeated' ? first : second;
}
/** What a fault does besides to the exchange. */
function strike(world, process, fault) {
    if (fault === 'platform-restart')
        world.downUntilMs = world.time.nowMs + DOWN_MS;
    if (fault === 'kill-after')
        process.die('kill');
    if (fault === 'power-after')
        process.die('power');
}
/** Our own platform publishes its bound, and can be asked to answer when everything has its outcome. */
function isOwn({ pace }) {
    return pace.executionBoundMs !== undefined;
}
/** As late as the service allows itself. */
function lateMs({ profile }) {
    return profile.pace.executionBoundMs === undefined ? 60_000 : profile.pace.executionBoundMs - 10;
}
/** What a stranger may do too, so that nothing but its transaction tells whose it is. */
const TWINS = new Set([
    'audit.record.create',
    'audit.contract.create',
    'certificate.contract.create',
    'certificate.mint',
]);
const ALL = Object.keys(COURSES);
/** The faults of writes by what they may do: begin too late, be reverted. */
const ALLOWED = new Map([0, 1, 2, 3].map((may) => [
    may,
    ALL.filter((fault) => (fault !== 'overdue' || may >= 2) && (fault !== 'reverted' || may % 2 === 1)),
]));
/** A service that publishes a bound keeps it; what nothing on a chain decides is not reverted. */
function allowedFor({ profile }, { takesCallback, endpoint }) {
    const mayRevert = takesCallback || endpoint.startsWith('version.');
    return ALLOWED.get((profile.pace.executionBoundMs === undefined ? 2 : 0) + (mayRevert ? 1 : 0)) ?? ALL;
}
function executeWrite(world, request, { token, fault }) {
    const { platform, profile, decisions } = world;
    const own = isOwn(profile);
    // Our own platform's lists show what the chain has at once.
    const lagMs = own ? 0 : { none: 0, short: 10_000, long: 29_000 }[decisions.next('index')];
    const before = platform.truth.effects.length;
    let executed;
    try {
        executed = platform.execute(request, { reverted: fault === 'reverted', lagMs });
    }
    catch (thrown) {
        if (thrown instanceof Refusal)
            return jsonResponse(422, { message: thrown.message });
        throw thrown;
    }
    world.checkEffects(before);
    sendCallbacks(world, { executed, token, endpoint: request.endpoint });
    if (fault !== 'reverted' && TWINS.has(request.endpoint) && decisions.next('twin') === 'same') {
        const twin = platform.execute(request, { reverted: false, lagMs, strange: true });
        sendCallbacks(world, { executed: twin, token: undefined, endpoint: request.endpoint });
    }
    const frame = ENDPOINTS[request.endpoint].envelope === 'message' ? { message: 'Success' } : { status: 200 };
    return jsonResponse(200, { ...frame, result: executed.result });
}
