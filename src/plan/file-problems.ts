import type { FileRefusal } from './files.js';
import type { Problem } from './problems.js';

/** The diagnostic for a file that cannot be used, without its place. */
export function refusalProblem(refusal: FileRefusal, path: string): Omit<Problem, 'at'> {
  switch (refusal.status) {
    case 'missing':
      return { code: 'PLAN_FILE_MISSING', message: `The file "${path}" does not exist beside the plan.` };
    case 'outside':
      return { code: 'PLAN_FILE_OUTSIDE', message: `"${path}" leads out of the plan's folder.` };
    case 'private': {
      const message = `"${path}" lies among the files of Git or Windlass, which hold tokens: no plan may read them.`;
      return { code: 'PLAN_FILE_OUTSIDE', message };
    }
    case 'not-regular':
      return { code: 'PLAN_FILE_OUTSIDE', message: `"${path}" is not a regular file.` };
    case 'unreadable':
      return { code: 'PLAN_FILE_MISSING', message: `"${path}" cannot be read: ${refusal.reason}.` };
    case 'too-large': {
      const { sizeBytes, maxBytes } = refusal;
      const message = `"${path}" has ${bytesText(sizeBytes)}, more than the ${bytesText(maxBytes)} allowed.`;
      return { code: 'PLAN_FILE_TOO_LARGE', message };
    }
  }
}

/** A size to the byte, as people read it: what is one byte over a limit must not look like the limit. */
export function bytesText(sizeBytes: number): string {
  return `${String(sizeBytes).replace(/\B(?=(?:\d{3})+$)/g, ',')} bytes`;
}

/** Text of UTF-8 bytes with a byte order mark kept; undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
