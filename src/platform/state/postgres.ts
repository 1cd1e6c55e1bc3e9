import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Pool, TypeOverrides, type ClientConfig, type QueryConfig, type QueryResult } from 'pg';
import { networkFailure } from '../../model/network-failure.js';
import { GroupCommit, readerOver, type Session } from './group-commit.js';
import { definition, numbered } from './postgres-sql.js';
import type { Records, TableGroup, Value } from './records.js';

/** Where a Postgres database is. */
export interface PostgresPlace {
  /** `postgres://user@host:port/database`. */
  readonly url: string;
  /** Kept out of the URL, so that the URL may be shown. */
  readonly password?: string;
  /** How long another platform's hold on the database is waited for, in milliseconds; 10,000 by default. */
  readonly patience?: number;
}

/** Another platform writes to the database. */
class DatabaseLocked extends Error {
  constructor(url: string) {
    super(`another platform uses the database ${shown(url)}`);
    this.name = 'DatabaseLocked';
  }
}

const READERS = 8;
const PATIENCE = 10_000;
const STATEMENT_TIME = 60_000;

/**
 * Opens the records in a Postgres database. One session writes, and holds the lock by which only one platform does:
 * when that session is lost, nothing more can be written, and the platform must start anew.
 *
 * @throws DatabaseLocked; Error without the password when the database cannot be reached
 */
export async function openPostgres(place: PostgresPlace, groups: readonly TableGroup[]): Promise<Records> {
  const config = configOf(place);
  const writer = new Client(config);
  const lost = lossOf(writer);
  const pool = new Pool({ ...config, max: READERS });
  // A reader that breaks is replaced by the pool; the statement that it ran has failed by itself.
  pool.on('error', () => undefined);
  try {
    await writer.connect();
    await lock(writer, place);
    for (const group of groups)
      for (const statement of group.statements) await writer.query(definition(statement));
  } catch (cause) {
    await Promise.allSettled([writer.end(), pool.end()]);
    throw readable(cause, place);
  }
  const commits = new GroupCommit(sessionOf(inTurn(writer)));
  const reading = sessionOf(pool);
  return {
    ...readerOver(reading),
    transact: (fn) => commits.transact(fn),
    lost,
    expunge: async (table) => {
      await commits.transact((session) => session.run(`DROP TABLE IF EXISTS ${table}`));
    },
    close: async () => {
      await commits.idle();
      await Promise.allSettled([writer.end(), pool.end()]);
    },
  };
}

/** A database's address as it may be shown: without a password. */
export function shown(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** Type of 64-bit integers, which arrive as text: ours are ids, counts and times, all below 2^53. */
const INT8 = 20;

function configOf({ url, password }: PostgresPlace): ClientConfig {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, Number);
  const address = new URL(url);
  if (password !== undefined) address.password = encodeURIComponent(password);
  return {
    connectionString: address.href,
    application_name: 'windlass platform',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    statement_timeout: STATEMENT_TIME,
    types,
  };
}

function lossOf(client: Client): Promise<string> {
  return new Promise((resolve) => {
    client.on('error', (cause) => {
      resolve(`the connection to the database was lost: ${networkFailure(cause)?.reason ?? cause.message}`);
    });
    client.on('end', () => {
      resolve('the connection to the database has ended');
    });
  });
}

async function lock(client: Client, { url, patience = PATIENCE }: PostgresPlace): Promise<void> {
  const sql = `SELECT pg_try_advisory_lock(hashtextextended('windlass platform ' || current_schema(), 0)) AS held`;
  const end = performance.now() + patience;
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>(sql);
    if (rows[0]?.held === true) return;
    // The session of a platform that was killed ends a moment after it.
    if (performance.now() > end) throw new DatabaseLocked(url);
    await pause(100);
  }
}

/** Asks one connection one thing after another, whatever its callers do at once. */
function inTurn(client: Client): Pick<Client, 'query'> {
  let last: Promise<unknown> = Promise.resolve();
  const query = (config: string | QueryConfig): Promise<QueryResult> => {
    const next = last.then(() => client.query(config));
    last = next.catch(() => undefined);
    return next;
  };
  return { query: query as Client['query'] };
}

function sessionOf(client: Pick<Client, 'query'>): Session {
  const statements = new Map<string, { readonly name: string; readonly text: string }>();
  const statementOf = (sql: string): { readonly name: string; readonly text: string } => {
    const known = statements.get(sql);
    if (known) return known;
    const text = numbered(sql);
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    statements.set(sql, { name, text });
    return { name, text };
  };
  const all: Session['all'] = async (sql, args) =>
    (await client.query<object>({ ...statementOf(sql), values: args.map(bound) })).rows;
  return {
    begin: 'BEGIN',
    all,
    first: async (sql, args) => (await all(sql, args))[0],
    run: async (sql, args) =>
      (await client.query({ ...statementOf(sql), values: args.map(bound) })).rowCount ?? 0,
    exec: async (sql) => {
      await client.query(sql);
    },
    commit: async () => {
      await client.query('COMMIT');
    },
  };
}

/** Postgres keeps no NUL in text; what the chain says may hold one. */
function bound(value: Value): Value {
  if (typeof value === 'string') return value.replaceAll('\0', '�');
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

function readable(cause: unknown, { url, password }: PostgresPlace): Error {
  if (cause instanceof DatabaseLocked) return cause;
  const said =
    networkFailure(cause)?.reason ?? (cause instanceof Error ? cause.message || cause.name : String(cause));
  const secrets = [password, new URL(url).password].filter((text) => text !== undefined && text !== '');
  const text = secrets.reduce((safe: string, secret) => safe.replaceAll(secret ?? '', '…'), said);
  return new Error(`the database ${shown(url)} cannot be used: ${text}`);
}
