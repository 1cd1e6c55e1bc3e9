import { chmodSync } from 'node:fs';
import Database from 'libsql';
import DatabaseBeside from 'libsql/promise';
import { GroupCommit, readerOver, type Session } from './group-commit.js';
import type { Records, TableGroup, Value } from './records.js';

/**
 * Opens the records in a libsql file, write-ahead log, every commit synced to disk.
 *
 * @param path file, made when missing; its folder must exist
 */
export function openRecords(path: string, groups: readonly TableGroup[]): Records {
  const writing = openFile(path);
  // Records name people: nobody else on the machine reads them. The log beside takes over the mode.
  chmodSync(path, 0o600);
  for (const group of groups) for (const statement of group.statements) writing.exec(statement);
  const reading = openFile(path);
  const committed = sessionOf(reading);
  const commits = new GroupCommit(sessionOf(writing));
  return {
    ...readerOver(committed),
    transact: (fn) => commits.transact(fn),
    lost: new Promise(() => undefined),
    expunge: async (table) => {
      await commits.idle();
      writing.exec('PRAGMA secure_delete = ON');
      writing.exec(`DROP TABLE IF EXISTS ${table}`);
      writing.exec('PRAGMA secure_delete = OFF');
      // The log still holds the pages as they were.
      writing.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    close: async () => {
      await commits.idle();
      reading.close();
      writing.close();
    },
  };
}

function openFile(path: string): Database.Database {
  const database = new Database(path);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  database.exec('PRAGMA busy_timeout = 5000');
  return database;
}

/**
 * Runs a statement as the driver's asynchronous face does, on a thread of the driver. It needs nothing but the
 * connection, which both faces hold alike.
 */
async function execBeside(database: Database.Database, sql: string): Promise<void> {
  await DatabaseBeside.prototype.exec.call(database, sql);
}

interface Prepared {
  readonly statement: Database.Statement;
  /** Names of the columns that it answers. */
  readonly columns: readonly string[];
}

/** Statements are prepared once, by text: the platform's are few and constant. All but a commit run at once. */
function sessionOf(database: Database.Database): Session {
  const known = new Map<string, Prepared>();
  const prepared = (sql: string): Prepared => known.get(sql) ?? prepare(sql);
  const prepare = (sql: string): Prepared => {
    const statement = database.prepare(sql);
    // The driver's own objects cost twice as much, and carry a member that is no column.
    const columns = statement.reader
      ? statement
          .raw()
          .columns()
          .map(({ name }) => name)
      : [];
    const made = { statement, columns };
    known.set(sql, made);
    return made;
  };
  return {
    begin: 'BEGIN IMMEDIATE',
    all: async (sql, args) => {
      const { statement, columns } = prepared(sql);
      return statement.all(...args.map(bound)).map((row) => named(columns, row));
    },
    first: async (sql, args) => {
      const { statement, columns } = prepared(sql);
      const row = statement.get(...args.map(bound));
      return row === undefined ? undefined : named(columns, row);
    },
    run: async (sql, args) => prepared(sql).statement.run(...args.map(bound)).changes,
    exec: async (sql) => {
      database.exec(sql);
    },
    commit: () => execBeside(database, 'COMMIT'),
  };
}

/** A row by the names of its columns, of an array in their order. */
function named(columns: readonly string[], row: unknown): object {
  const values = row as readonly unknown[];
  const object: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at += 1) object[columns[at] ?? ''] = values[at];
  return object;
}

function bound(value: Value): Value {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
