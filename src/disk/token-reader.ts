import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { systemCode } from './private-file.js';

/** Reads the tokens of a lineage while others may add to them; writes nothing. */
export interface TokenReader {
  /** The digest of a token that was issued, or undefined for anything else; what was added meanwhile is seen. */
  lookup(token: string): Digest | undefined;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A line of the file: a token and its newline. */
const LINE_BYTES = 44;

/** Reads no more than this at a time. */
const MAX_READ_BYTES = LINE_BYTES * 100_000;

/** The tokens in a file, which need not exist yet. Only whole lines count. */
export function readTokens(path: string): TokenReader {
  const digests = new Set<Digest>();
  let seenBytes = 0;
  const refresh = (): void => {
    for (let more = true; more;) {
      const text = readFrom(path, seenBytes);
      const whole = text.lastIndexOf('\n') + 1;
      for (const token of text.slice(0, whole).split('\n')) {
        if (TOKEN.test(token)) digests.add(digestOfBytes(token));
      }
      seenBytes += whole;
      more = text.length === MAX_READ_BYTES && whole > 0;
    }
  };
  return {
    lookup: (token) => {
      if (!TOKEN.test(token)) return undefined;
      const digest = digestOfBytes(token);
      if (!digests.has(digest)) refresh();
      return digests.has(digest) ? digest : undefined;
    },
  };
}

function readFrom(path: string, offset: number): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const sizeBytes = Math.min(MAX_READ_BYTES, Math.max(0, fstatSync(file).size - offset));
    const bytes = Buffer.alloc(sizeBytes);
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, sizeBytes, offset));
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return '';
    throw thrown;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
