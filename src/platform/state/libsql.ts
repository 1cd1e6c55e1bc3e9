import { chmodSync } from 'node:fs';
import Database from 'libsql';
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
    ...readerOver((sql, args) => committed.all(sql, args)),
    transact: (fn) => commits.transact(fn),
    lost: new Promise(() => undefined),
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

/** Statements are prepared once, by text: the platform's are few and constant. */
function sessionOf(database: Database.Database): Session {
  const prepared = new Map<string, Database.Statement>();
  const prepare = (sql: string): Database.Statement => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  return {
    begin: 'BEGIN IMMEDIATE',
    all: async (sql, args) => prepare(sql).all(...args.map(bound)),
    run: async (sql, args) => prepare(sql).run(...args.map(bound)).changes,
    exec: async (sql) => {
      database.exec(sql);
    },
  };
}

function bound(value: Value): Value {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
