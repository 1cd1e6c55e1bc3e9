import { join } from 'node:path';
import { registerPlatform, unregisterPlatform } from '../../src/disk/platform-registration.js';

/** The build, as commands load it. */
const PLATFORM = new URL('../../dist/platform/platform.js', import.meta.url).href;

/** A platform that runs in this process. */
export interface PlatformHere {
  readonly apiUrl: string;
  /** Where ground truth is told. */
  readonly truthUrl: string;
  /** Ends it; fails when the platform met an internal error meanwhile. */
  stop(): Promise<void>;
}

/**
 * Starts the platform of a folder in this process, where the commands of the folder find it as one that runs detached.
 * `windlass platform stop` would end this process: stop it by what is returned.
 */
export async function startPlatformHere(folder: string): Promise<PlatformHere> {
  const { startPlatform } = (await import(PLATFORM)) as typeof import('../../src/platform/platform.js');
  const failures: unknown[] = [];
  const platform = await startPlatform({
    dataDir: join(folder, '.windlass', 'platform'),
    cacheDir: process.env['WINDLASS_CACHE_DIR'] ?? join(folder, '.windlass', 'cache'),
    bcryptCost: 4,
    truth: { port: 0 },
    failed: (cause) => failures.push(cause),
  });
  const { id, apiUrl, rpcUrl, consoleUrl, truthUrl = '', apiKey } = platform;
  const { client_id = '', client_secret = '' } = apiKey ?? {};
  const where = { api_url: apiUrl, rpc_url: rpcUrl, console_url: consoleUrl };
  await registerPlatform(folder, { id, ...where, pid: process.pid, client_id, client_secret });
  return {
    apiUrl,
    truthUrl,
    stop: async () => {
      await platform.stop();
      await unregisterPlatform(folder, process.pid);
      if (failures.length > 0) throw new Error('the platform met an internal error', { cause: failures[0] });
    },
  };
}
