import { digestOfBytes } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import type { FileInput, SourceInput } from '../model/resource.js';
import type { PlanFiles } from '../plan/files.js';

/** Gives the bytes of an input, exactly those that the change set names. @throws FILE_CHANGED */
export function inputReader(files: PlanFiles): (input: FileInput | SourceInput) => Promise<Uint8Array> {
  return async (input) => {
    if ('rewritten' in input && input.rewritten !== undefined) return Buffer.from(input.rewritten);
    const reading = await files.read(input.path, input.sizeBytes);
    if (reading.status !== 'ok' || digestOfBytes(reading.bytes) !== input.digest) {
      throw new WindlassError(
        'FILE_CHANGED',
        `${input.path} is no longer what the change set was made from.`,
      );
    }
    return reading.bytes;
  };
}
