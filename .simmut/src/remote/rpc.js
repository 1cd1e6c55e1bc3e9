import { WindlassError } from '../model/error.js';
import { isJsonObject, member, textMember } from '../model/json.js';
import { jsonOf } from './classify.js';
import { openTransport } from './exchange.js';
import { openRateLimiter } from './rate.js';
import { cleanMessage } from './redact.js';
import { DEFAULT_RETRY, readWithRetry } from './retry.js';
/** Most calls in one batch: what foreign nodes take (stack §1). */
const BATCH_CALLS = 50;
/** Longest answer to a batch. */
const MAX_BYTES = 64_000_000;
/** Opens a node by its JSON-RPC address. The address may hold a key: it appears in no message. */
export function openRpc(options) {
    const url = new URL(options.url);
    const { trace } = options;
    const transport = openTransport(url.origin, trace === undefined ? {} : { trace: (request) => trace({ ...request, path: '' }) });
    const limiter = openRateLimiter(undefined, options.clock);
    const ending = new AbortController();
    let queued = [];
    let nextId = 1;
    const post = async (payload) => {
        const headers = { ...basicAuthentication(url), ...(await options.headers?.()) };
        const response = await readWithRetry({
            name: 'the RPC node',
            send: async () => {
                (await limiter.acquire('read'))();
                return transport.exchange(requestTo(url, headers, payload), false);
            },
            pause: (ms) => limiter.pause(ms),
            nowMs: () => options.clock.nowMs(),
            signal: ending.signal,
        }, options.retry ?? DEFAULT_RETRY);
        return jsonOf(response);
    };
    const flush = () => {
        const calls = queued;
        queued = [];
        for (let start = 0; start < calls.length; start += BATCH_CALLS) {
            void settleBatch(calls.slice(start, start + BATCH_CALLS), post);
        }
    };
    return {
        call: (method, params) => new Promise((resolve, reject) => {
            if (queued.length === 0)
                setImmediate(flush);
            queued.push({ id: nextId++, method, params, resolve, reject });
        }),
        close: async () => {
            ending.abort();
            await transport.close();
        },
    };
}
function requestTo(url, headers, payload) {
    return {
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: { ...headers, 'content-type': 'application/json' },
        payload: { bytes: Buffer.from(JSON.stringify(payload)) },
        maxBytes: MAX_BYTES,
    };
}
function basicAuthentication({ username, password }) {
    if (username === '')
        return {};
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
async function settleBatch(calls, post) {
    const [only] = calls;
    try {
        const body = await post(calls.length === 1 && only ? requestOf(only) : calls.map(requestOf));
        if (calls.length > 1 && !Array.isArray(body)) {
            // A node that takes no batches answers with one error object.
            await Promise.all(calls.map((call) => settleBatch([call], post)));
            return;
        }
        const answers = Array.isArray(body) ? body : [body ?? null];
        for (const call of calls)
            settleCall(call, answers);
    }
    catch (error) {
        for (const call of calls)
            call.reject(error);
    }
}
function requestOf({ id, method, params }) {
    return { jsonrpc: '2.0', id, method, params };
}
function settleCall(call, answers) {
    const answer = answers.find((item) => member(item, 'id') === call.id);
    const result = member(answer, 'result');
    if (isJsonObject(answer) && result !== undefined && member(answer, 'error') == null) {
        call.resolve(result);
        return;
    }
    const told = textMember(member(answer, 'error'), 'message') ?? 'no answer to this call';
    call.reject(new WindlassError('REMOTE_ANSWER', `${call.method}: ${cleanMessage(told, [])}`));
}
