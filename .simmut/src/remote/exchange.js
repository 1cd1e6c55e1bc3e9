import { messageOf } from '../model/error.js';
/** Time to connect, and the base of every exchange's deadline, unless told otherwise (reliability §3.3). */
const TIMEOUT_MS = 30_000;
const MS_PER_MEGABYTE = 1000;
/** An idle connection is given up sooner than Node's servers give it up (5 s), unless the server names its own time. */
const KEEP_ALIVE_MS = 4000;
/**
 * Opens connections to an origin, lazily.
 *
 * Reads keep connections alive. A write on a kept connection that the server has just closed would end ambiguous
 * (node#47130, undici#3492), so writes use a fresh connection each; on loopback there is no middlebox that drops
 * idle connections silently, undici looks for a pending FIN before it reuses one, and the saved handshakes matter
 * for thousands of mints, so there writes share the kept connections.
 */
export function openTransport(origin, options = {}) {
    const loopback = isLoopback(new URL(origin).hostname);
    const connections = options.maxConnections ?? (loopback ? 64 : 16);
    const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    const pools = new Map();
    const poolFor = (write) => {
        const name = write && !loopback ? 'fresh' : 'kept';
        const pool = pools.get(name) ?? openPool(origin, { connections, timeoutMs, keepAlive: name === 'kept' });
        pools.set(name, pool);
        return pool;
    };
    return {
        exchange: async (request, write) => {
            if (options.trace === undefined)
                return sendOnce(await poolFor(write), request, timeoutMs);
            const span = options.trace({ ...request, origin, write });
            const headers = { ...request.headers, ...span.headers };
            const exchange = await sendOnce(await poolFor(write), { ...request, headers }, timeoutMs);
            span.end(exchange);
            return exchange;
        },
        close: async () => {
            await Promise.all([...pools.values()].map(async (pool) => (await pool).close()));
        },
    };
}
/** True for a host name that only this machine answers to. */
function isLoopback(host) {
    return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
async function openPool(origin, { connections, timeoutMs, keepAlive }) {
    const { Pool } = await import('undici');
    return new Pool(origin, {
        connections,
        pipelining: keepAlive ? 1 : 0,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connect: { timeout: timeoutMs },
        // The deadline of the whole exchange is ours, below: a byte now and then does not prolong it.
        headersTimeout: 0,
        bodyTimeout: 0,
    });
}
function sendOnce(pool, request, baseMs) {
    const { payload } = request;
    const size = payload === undefined ? 0 : 'bytes' in payload ? payload.bytes.byteLength : payload.sizeBytes;
    const timeoutMs = baseMs + (size / 1_000_000) * MS_PER_MEGABYTE;
    return new Promise((resolve) => {
        const handler = collect({ timeoutMs, maxBytes: request.maxBytes }, resolve);
        pool.dispatch({
            method: request.method,
            path: request.path,
            headers: { ...request.headers, ...(payload && { 'content-length': String(size) }) },
            body: bodyOf(payload),
        }, handler);
    });
}
/** undici sends any async iterable; its types name Readable only. */
function bodyOf(payload) {
    if (payload === undefined)
        return null;
    return 'bytes' in payload ? payload.bytes : payload.chunks;
}
/**
 * Collects one response. `onRequestStart` is called in the tick in which the first byte is written to a connected
 * socket (undici, lib/dispatcher/client-h1.js, writeH1): it is the flag that tells `not sent` from `ambiguous`.
 */
function collect(limits, resolve) {
    const chunks = [];
    let sent = false;
    let status = 0;
    let headers = {};
    let size = 0;
    let timer;
    const finish = (exchange) => {
        clearTimeout(timer);
        resolve(exchange);
    };
    return {
        onRequestStart: (controller) => {
            // undici sends again what a dying connection left queued; nothing here may be sent twice.
            if (sent)
                return controller.abort(new Error('the connection closed before the request was answered'));
            sent = true;
            const seconds = Math.round(limits.timeoutMs / 1000);
            const late = () => controller.abort(new Error(`no complete answer within ${seconds} s`));
            timer = setTimeout(late, limits.timeoutMs);
        },
        onRequestUpgrade: (controller) => controller.abort(new Error('the service changed the protocol')),
        onResponseStart: (_, code, received) => {
            status = code;
            headers = received;
        },
        onResponseData: (controller, chunk) => {
            size += chunk.length;
            if (size > limits.maxBytes)
                controller.abort(new Error(`the answer exceeds ${limits.maxBytes} bytes`));
            else
                chunks.push(chunk);
        },
        onResponseEnd: () => finish({ type: 'response', status, headers, body: Buffer.concat(chunks) }),
        onResponseError: (_, error) => finish({ type: 'broken', sent, tooLong: size > limits.maxBytes, message: reasonOf(error) }),
    };
}
function reasonOf(error) {
    const code = error.code;
    const text = messageOf(error);
    if (text !== '')
        return text;
    return code ?? error.name;
}
