import { readLockfile } from '../disk/lockfile-files.js';
import { statePaths } from '../disk/state-paths.js';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { LOCAL, type Environment } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import type { Plan } from '../model/plan.js';
import type { SecretSource } from '../model/value.js';
import { keysOf } from '../state/target.js';
import type { PlanFile } from './plan-file.js';
import type { SecretReader } from './secrets.js';

/**
 * Keeps the credentials of another environment away from a protected one. They are recognised by the lockfile of that
 * environment, or by its own variables where those are set too. Environments that are protected themselves may share.
 *
 * @param client digest of the client id in use
 * @throws TARGET_OTHER_ENVIRONMENT
 */
export async function guardProtected(
  plan: Pick<Plan, 'environment' | 'environments'>,
  file: PlanFile,
  client: Digest,
  secrets: SecretReader,
): Promise<void> {
  const { environment } = plan;
  if (!environment.protected) return;
  const others = plan.environments.filter(
    (other) => !other.protected && other.name !== LOCAL && other.name !== environment.name,
  );
  for (const other of others) {
    const known = [
      ...(await lockedClients(other, file)),
      await clientOf(other, environment.credentials?.clientId, secrets),
    ];
    if (!known.includes(client)) continue;
    throw new WindlassError(
      'TARGET_OTHER_ENVIRONMENT',
      `${environment.name} is protected, and the client id given for it is that of ${other.name}.`,
    );
  }
}

async function lockedClients({ name }: Environment, file: PlanFile): Promise<readonly Digest[]> {
  const paths = statePaths({ root: file.folder, planFile: file.name, environment: name });
  const lockfile = await readLockfile(paths).catch(() => undefined);
  return lockfile === undefined ? [] : keysOf(lockfile.head.target);
}

/** Undefined when it comes from where ours comes from: one variable holds the value of the environment that is in use. */
async function clientOf(
  { credentials }: Environment,
  own: SecretSource | undefined,
  secrets: SecretReader,
): Promise<Digest | undefined> {
  if (credentials === undefined || JSON.stringify(credentials.clientId) === JSON.stringify(own)) {
    return undefined;
  }
  const value = await secrets(credentials.clientId).catch(() => undefined);
  return value === undefined ? undefined : digestOfBytes(value);
}
