import type { TestProject } from 'vitest/node';
import { startPostgres, type PostgresServer } from './postgres.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of this run: an administrator's address, without the password. Undefined when nobody asked for one. */
    postgres: Pick<PostgresServer, 'administrator' | 'password'> | undefined;
  }
}

let server: PostgresServer | undefined;

/**
 * Starts one Postgres for the whole run when `WINDLASS_TEST_DATABASE=postgres`; setting one up costs more than most files.
 *
 * @throws Error when this machine cannot
 */
export async function setup({ provide }: TestProject): Promise<void> {
  if (process.env['WINDLASS_TEST_DATABASE'] !== 'postgres') return;
  const running = await startPostgres();
  if (typeof running === 'string') throw new Error(running);
  server = running;
  provide('postgres', { administrator: running.administrator, password: running.password });
}

/** Ends it, with everything that was in it. */
export async function teardown(): Promise<void> {
  await server?.stop();
}
