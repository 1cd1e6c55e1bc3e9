import { afterAll } from 'vitest';
import type { PlatformOptions } from '../../src/platform/options.js';
import { startPostgres, type PostgresServer } from './postgres.js';

let server: Promise<PostgresServer | string> | undefined;

/**
 * Where the platforms of this run keep their records: a file, or with `WINDLASS_TEST_DATABASE=postgres` a new database
 * of a real Postgres. So the same tests run against both.
 *
 * @throws Error when Postgres is asked for and cannot be started
 */
export async function testDatabase(): Promise<Pick<PlatformOptions, 'database'>> {
  if (process.env['WINDLASS_TEST_DATABASE'] !== 'postgres') return {};
  server ??= startPostgres();
  const running = await server;
  if (typeof running === 'string') throw new Error(running);
  return { database: { url: await running.database(), password: running.password } };
}

afterAll(async () => {
  const running = await server;
  if (running !== undefined && typeof running !== 'string') await running.stop();
});
