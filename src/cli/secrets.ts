import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { planFilesIn } from '../disk/sources.js';
import { WindlassError } from '../model/error.js';
import { forbiddenVariable, type Forbidden, type Permissions } from '../model/permissions.js';
import type { SecretSource } from '../model/value.js';
import { pathRefusal } from '../plan/files.js';
import { forbiddenSecretFile } from '../plan/reach.js';

/** Reads a secret; one line end after it does not count. @throws SECRET_MISSING naming where it was looked for */
export type SecretReader = (source: SecretSource) => Promise<string>;

/** Where the secrets of a plan may stand. */
export interface SecretPlace {
  /** The plan's folder. */
  readonly folder: string;
  readonly permissions: Permissions;
}

/** Largest file that holds a secret: a keystore has less than 1 kB. */
const MAX_SECRET_BYTES = 64 * 1024;

/**
 * Reads the secrets that a plan may read, from the environment and from files; what it may not read is refused here, too,
 * whoever asks. Files lie beside the plan or in `WINDLASS_SECRETS_DIR`, where a relative path is looked for first.
 *
 * @param env variables of this process
 * @throws PLAN_VARIABLE_FORBIDDEN, PLAN_FILE_OUTSIDE
 */
export function secretReader(
  { folder, permissions }: SecretPlace,
  env: Readonly<Record<string, string | undefined>>,
): SecretReader {
  return async (source) => {
    if ('env' in source) {
      const forbidden = forbiddenVariable(source.env, permissions);
      if (forbidden) throw refused('PLAN_VARIABLE_FORBIDDEN', forbidden);
      const value = Object.hasOwn(env, source.env) ? env[source.env] : undefined;
      if (value) return value;
      throw new WindlassError('SECRET_MISSING', `The environment variable ${source.env} is not set.`);
    }
    const forbidden = forbiddenSecretFile(source.file, permissions);
    if (forbidden) throw refused('PLAN_FILE_OUTSIDE', forbidden);
    const bytes = (await fromSecrets(source.file, permissions)) ?? (await fromFolder(source.file, folder));
    const value = bytes?.toString('utf8').replace(/\r?\n$/, '');
    if (value) return value;
    throw new WindlassError('SECRET_MISSING', `The file ${source.file} cannot be read or is empty.`);
  };
}

function refused(
  code: 'PLAN_VARIABLE_FORBIDDEN' | 'PLAN_FILE_OUTSIDE',
  { message, fix: advice }: Forbidden,
): WindlassError {
  return new WindlassError(code, message, { advice });
}

async function fromFolder(path: string, folder: string): Promise<Buffer | undefined> {
  if (pathRefusal(path) !== undefined) return undefined;
  const reading = await planFilesIn(folder).read(path, MAX_SECRET_BYTES);
  if (reading.status === 'ok') return Buffer.from(reading.bytes);
  if (reading.status === 'missing' || reading.status === 'unreadable') return undefined;
  throw new WindlassError(
    'PLAN_FILE_OUTSIDE',
    `The file ${path} is none that a plan may read a secret from: ${REFUSED[reading.status]}.`,
  );
}

const REFUSED = {
  outside: "it leads out of the plan's folder",
  private: 'it lies among the files of Git or Windlass',
  'not-regular': 'it is not a regular file',
  'too-large': `it has more than ${MAX_SECRET_BYTES / 1024} kB`,
} as const;

/** Undefined when there is no such folder, or no such file in it. */
async function fromSecrets(path: string, { secretsDir }: Permissions): Promise<Buffer | undefined> {
  if (secretsDir === undefined) return undefined;
  const named = pathRefusal(path) === 'outside' ? path : join(secretsDir, path);
  const [root, real] = await Promise.all([realOf(secretsDir), realOf(named)]);
  if (root === undefined || real === undefined) return undefined;
  // Mounted secrets are links within their folder; the file itself has to lie in it.
  const inside = relative(root, real).split(sep).join('/');
  if (pathRefusal(inside) === 'outside' || inside === '') {
    throw new WindlassError('PLAN_FILE_OUTSIDE', `The file ${path} leads out of WINDLASS_SECRETS_DIR.`);
  }
  const reading = await planFilesIn(root).read(inside, MAX_SECRET_BYTES);
  return reading.status === 'ok' ? Buffer.from(reading.bytes) : undefined;
}

async function realOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
