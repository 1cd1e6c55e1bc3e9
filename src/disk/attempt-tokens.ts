import { randomBytes } from 'node:crypto';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import type { StepId } from '../model/id.js';
import { openAppendFile, type AppendFile } from './append-file.js';
import { REAL_DISK, type Disk } from './disk.js';

/** The callback tokens of a lineage: each is the secret of one attempt. The journal holds their digests only. */
export interface AttemptTokens {
  /** A new token for an attempt, durable before it is given out. @throws JOURNAL_WRITE */
  issue(step: StepId): Promise<{ readonly token: string; readonly digest: Digest }>;
  /**
   * Whose token this is. The digests of the journal suffice, so a run on another machine, which never saw the token of an
   * earlier attempt, still knows its callback. `step` is undefined for a token of this lineage that no attempt is known to have used;
   * the whole is undefined for anything else, e.g. what a stranger guessed.
   */
  lookup(token: string): { readonly step: StepId | undefined; readonly digest: Digest } | undefined;
  close(): Promise<void>;
}

/** How the tokens of a lineage are opened. */
export interface TokenOptions {
  /** The attempts of the journal by the digest of their token. */
  readonly steps?: (digest: Digest) => StepId | undefined;
  /** Source of randomness: as many unpredictable bytes as asked for. */
  readonly random?: (sizeBytes: number) => Uint8Array;
  readonly disk?: Disk;
}

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
export async function openAttemptTokens(path: string, options: TokenOptions = {}): Promise<AttemptTokens> {
  const file = await openAppendFile(path, options.disk ?? REAL_DISK);
  try {
    const tokens = await readTokens(path, file);
    return new TokenFile(file, tokens, options);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

async function readTokens(path: string, file: AppendFile): Promise<readonly string[]> {
  const pieces: Uint8Array[] = [];
  await file.read((piece) => pieces.push(Uint8Array.from(piece)));
  const bytes = Buffer.concat(pieces);
  const whole = bytes.lastIndexOf(0x0a) + 1;
  const tokens = bytes.toString('latin1', 0, whole).split('\n').slice(0, -1);
  const wrong = tokens.findIndex((token) => !TOKEN.test(token));
  if (wrong >= 0) throw new WindlassError('JOURNAL_CORRUPT', `Line ${wrong + 1} of ${path} is not a token.`);
  if (whole < bytes.length) await file.cut(whole);
  return tokens;
}

class TokenFile implements AttemptTokens {
  readonly #file: AppendFile;
  readonly #random: (sizeBytes: number) => Uint8Array;
  readonly #steps: (digest: Digest) => StepId | undefined;
  readonly #digests = new Set<Digest>();
  /** Tokens whose digests nobody has asked for yet. */
  readonly #undigested: string[];
  /** By token, so that a callback of this run costs no digest. */
  readonly #issued = new Map<string, { readonly step: StepId; readonly digest: Digest }>();
  readonly #stock: string[] = [];
  #refill = FIRST_STOCK;
  #filling: Promise<void> | undefined;

  constructor(file: AppendFile, tokens: readonly string[], options: TokenOptions) {
    this.#file = file;
    this.#random = options.random ?? randomBytes;
    this.#steps = options.steps ?? ((): undefined => undefined);
    this.#undigested = [...tokens];
  }

  async issue(step: StepId): Promise<{ readonly token: string; readonly digest: Digest }> {
    let token = this.#stock.pop();
    while (token === undefined) {
      await this.#fill();
      token = this.#stock.pop();
    }
    // Ahead of need; should it fail, whoever finds the stock empty hears of it.
    if (this.#stock.length < this.#refill / 4) this.#fill().catch(() => undefined);
    const digest = digestOfBytes(token);
    this.#issued.set(token, { step, digest });
    return { token, digest };
  }

  lookup(token: string): { readonly step: StepId | undefined; readonly digest: Digest } | undefined {
    const issued = this.#issued.get(token);
    if (issued !== undefined) return issued;
    if (!TOKEN.test(token)) return undefined;
    const digest = digestOfBytes(token);
    const step = this.#steps(digest);
    return step !== undefined || this.#isOurs(digest) ? { step, digest } : undefined;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** The digests of unused tokens are made when a callback first needs them: a lineage keeps thousands of those. */
  #isOurs(digest: Digest): boolean {
    for (const token of this.#undigested.splice(0)) this.#digests.add(digestOfBytes(token));
    return this.#digests.has(digest);
  }

  /** Those who find the stock empty together wait for one sync. */
  #fill(): Promise<void> {
    this.#filling ??= this.#stockUp().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #stockUp(): Promise<void> {
    const bytes = Buffer.from(this.#random(this.#refill * TOKEN_BYTES));
    const tokens = Array.from({ length: this.#refill }, (_, index) =>
      bytes.toString('base64url', index * TOKEN_BYTES, (index + 1) * TOKEN_BYTES),
    );
    try {
      await this.#file.append(() => tokens.map((token) => `${token}\n`).join(''));
    } catch (thrown) {
      throw new WindlassError('JOURNAL_WRITE', 'The tokens of attempts cannot be written.', {
        cause: thrown,
      });
    }
    this.#undigested.push(...tokens);
    this.#stock.unshift(...tokens.reverse());
    this.#refill = Math.min(MAX_STOCK, 2 * this.#refill);
  }
}
