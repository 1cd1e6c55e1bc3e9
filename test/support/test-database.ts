import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import type { PlatformOptions } from '../../src/platform/options.js';

const made: string[] = [];

/**
 * Where the platforms of this run keep their records: a file, or with `WINDLASS_TEST_DATABASE=postgres` a new database
 * of a real Postgres. So the same tests run against both.
 */
export async function testDatabase(): Promise<Pick<PlatformOptions, 'database'>> {
  const server = inject('postgres');
  if (!server) return {};
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdministrator(server, `CREATE DATABASE ${name}`);
  made.push(name);
  const url = server.administrator.replace(/postgres$/, name);
  return { database: { url, password: server.password } };
}

/** Drops the databases of a file of tests: all of a run together would fill a small disk. */
export async function dropTestDatabases(): Promise<void> {
  const server = inject('postgres');
  if (!server) return;
  for (const name of made.splice(0)) await asAdministrator(server, `DROP DATABASE ${name} WITH (FORCE)`);
}

async function asAdministrator(
  { administrator, password }: { readonly administrator: string; readonly password: string },
  sql: string,
): Promise<void> {
  const client = new Client({
    connectionString: administrator.replace('@', `:${encodeURIComponent(password)}@`),
  });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
