import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WindlassError } from '../model/error.js';
import type { SecretSource } from '../model/value.js';

/** Reads a secret; one line end after it does not count. @throws SECRET_MISSING naming where it was looked for */
export type SecretReader = (source: SecretSource) => Promise<string>;

/**
 * Reads secrets from the environment and from files. Paths are relative to the plan's folder.
 *
 * @param env variables of this process
 */
export function secretReader(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): SecretReader {
  return async (source) => {
    if ('env' in source) {
      const value = env[source.env];
      if (value) return value;
      throw new WindlassError('SECRET_MISSING', `The environment variable ${source.env} is not set.`);
    }
    const text = await readFile(resolve(folder, source.file), 'utf8').catch(() => undefined);
    const value = text?.replace(/\r?\n$/, '');
    if (value) return value;
    throw new WindlassError('SECRET_MISSING', `The file ${source.file} cannot be read or is empty.`);
  };
}
