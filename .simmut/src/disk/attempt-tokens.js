import { randomBytes } from 'node:crypto';
import { digestOfBytes } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { openAppendFile } from './append-file.js';
import { REAL_DISK } from './disk.js';
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** Tokens made durable with one sync, so that an attempt does not wait for its own; twice as many with each refill. */
const FIRST_STOCK = 64;
const MAX_STOCK = 512;
/**
 * Opens the file of tokens (mode 0600, one token a line), creating it when missing. A torn end is cut: a token that
 * was not durable was never given out.
 *
 * @throws JOURNAL_CORRUPT for any other damage, STATE_UNSAFE, STATE_WRITE
 */
export async function openAttemptTokens(path, options = {}) {
    const file = await openAppendFile(path, options.disk ?? REAL_DISK);
    try {
        const tokens = await readTokens(path, file);
        return new TokenFile(file, tokens, options);
    }
    catch (thrown) {
        await file.close();
        throw thrown;
    }
}
async function readTokens(path, file) {
    const pieces = [];
    await file.read((piece) => pieces.push(Uint8Array.from(piece)));
    const bytes = Buffer.concat(pieces);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    const tokens = bytes.toString('latin1', 0, whole).split('\n').slice(0, -1);
    const wrong = tokens.findIndex((token) => !TOKEN.test(token));
    if (wrong >= 0)
        throw new WindlassError('JOURNAL_CORRUPT', `Line ${wrong + 1} of ${path} is not a token.`);
    if (whole < bytes.length)
        await file.cut(whole);
    return tokens;
}
class TokenFile {
    #file;
    #random;
    #steps;
    #digests = new Set();
    /** Tokens whose digests nobody has asked for yet. */
    #undigested;
    #issued = new Map();
    #stock = [];
    #refill = FIRST_STOCK;
    #filling;
    constructor(file, tokens, options) {
        this.#file = file;
        this.#random = options.random ?? randomBytes;
        this.#steps = options.steps ?? (() => undefined);
        this.#undigested = [...tokens];
    }
    async issue(step) {
        let token = this.#stock.pop();
        while (token === undefined) {
            await this.#fill();
            token = this.#stock.pop();
        }
        // Ahead of need; should it fail, whoever finds the stock empty hears of it.
        if (this.#stock.length < this.#refill / 4)
            this.#fill().catch(() => undefined);
        const digest = digestOfBytes(token);
        this.#issued.set(digest, step);
        return { token, digest };
    }
    lookup(token) {
        if (!TOKEN.test(token))
            return undefined;
        const digest = digestOfBytes(token);
        const step = this.#issued.get(digest) ?? this.#steps(digest);
        return step !== undefined || this.#isOurs(digest) ? { step, digest } : undefined;
    }
    close() {
        return this.#file.close();
    }
    /** The digests of unused tokens are made when a callback first needs them: a lineage keeps thousands of those. */
    #isOurs(digest) {
        for (const token of this.#undigested.splice(0))
            this.#digests.add(digestOfBytes(token));
        return this.#digests.has(digest);
    }
    /** Those who find the stock empty together wait for one sync. */
    #fill() {
        this.#filling ??= this.#stockUp().finally(() => {
            this.#filling = undefined;
        });
        return this.#filling;
    }
    async #stockUp() {
        const bytes = Buffer.from(this.#random(this.#refill * TOKEN_BYTES));
        const tokens = Array.from({ length: this.#refill }, (_, index) => bytes.toString('base64url', index * TOKEN_BYTES, (index + 1) * TOKEN_BYTES));
        try {
            await this.#file.append(tokens.map((token) => `${token}\n`).join(''));
        }
        catch (thrown) {
            throw new WindlassError('JOURNAL_WRITE', 'The tokens of attempts cannot be written.', {
                cause: thrown,
            });
        }
        this.#undigested.push(...tokens);
        this.#stock.unshift(...tokens.reverse());
        this.#refill = Math.min(MAX_STOCK, 2 * this.#refill);
    }
}
