import type { FileRefusal } from './files.js';
import type { Problem } from './problems.js';

/** The diagnostic for a file that cannot be used, without its place. */
export function refusalProblem(refusal: FileRefusal, path: string): Omit<Problem, 'at'> {
  switch (refusal.status) {
    case 'missing':
      return { code: 'PLAN_FILE_MISSING', message: `The file "${path}" does not exist beside the plan.` };
    case 'outside':
      return { code: 'PLAN_FILE_OUTSIDE', message: `"${path}" leads out of the plan's folder.` };
    case 'not-regular':
      return { code: 'PLAN_FILE_OUTSIDE', message: `"${path}" is not a regular file.` };
    case 'unreadable':
      return { code: 'PLAN_FILE_MISSING', message: `"${path}" cannot be read: ${refusal.reason}.` };
    case 'too-large': {
      const { sizeBytes, maxBytes } = refusal;
      const message = `"${path}" has ${megabytes(sizeBytes)}, more than the ${megabytes(maxBytes)} allowed.`;
      return { code: 'PLAN_FILE_TOO_LARGE', message };
    }
  }
}

/** Sizes as people read them; MB is 1,000,000 bytes. */
export function megabytes(sizeBytes: number): string {
  return sizeBytes < 1000 ? `${sizeBytes} bytes` : `${Number((sizeBytes / 1e6).toPrecision(3))} MB`;
}

/** Text of UTF-8 bytes with a byte order mark kept; undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
