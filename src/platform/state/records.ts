import { chmodSync } from 'node:fs';
import Database from 'libsql';

/** What a column may hold. Booleans travel as 0 and 1, JSON as text, times as ISO 8601 text. */
export type Value = null | number | string | Uint8Array;

/** Reads. SQL is the part that SQLite and Postgres share; parameters are `?`, in order. */
export interface Reader {
  /** All rows. `Row` names the columns that the caller selected; the port does not check it. */
  all<Row>(sql: string, args?: readonly Value[]): Promise<readonly Row[]>;
  /** The first row, if there is one. */
  first<Row>(sql: string, args?: readonly Value[]): Promise<Row | undefined>;
}

/** One transaction. Its reads see its own writes. */
export interface Writer extends Reader {
  /** Runs a statement; answers how many rows it changed. Use `RETURNING id` with `first` for new ids. */
  run(sql: string, args?: readonly Value[]): Promise<number>;
  /** Calls `fn` once this transaction is durable; never when it is rolled back. */
  afterCommit(fn: () => void): void;
}

/** The platform's records. Reads outside `transact` see committed rows only. */
export interface Records extends Reader {
  /**
   * Runs `fn` in a transaction and answers when it is durable. Transactions run one after another; many that
   * wait share one commit. `fn` awaits nothing but its writer: whatever it awaits, all others wait for.
   *
   * @throws what `fn` throws, after rolling back what it wrote; the others of its group are not touched.
   */
  transact<T>(fn: (writer: Writer) => Promise<T>): Promise<T>;
  /** Waits for the transactions under way, then closes. */
  close(): Promise<void>;
}

/** Tables that one module owns. `statements` are idempotent (`CREATE TABLE IF NOT EXISTS …`). */
export interface TableGroup {
  readonly name: string;
  readonly statements: readonly string[];
}

interface Waiting {
  readonly run: (writer: Writer) => Promise<void>;
  readonly settle: () => void;
  readonly fail: (cause: unknown) => void;
}

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
  const committed = readerOf(reading);
  const commits = new GroupCommit(writing);
  return {
    ...committed,
    transact: (fn) => commits.transact(fn),
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

function readerOf(database: Database.Database): Reader {
  const statements = new Statements(database);
  return {
    all: async <Row>(sql: string, args: readonly Value[] = []) => statements.all(sql, args) as Row[],
    first: async <Row>(sql: string, args: readonly Value[] = []) =>
      statements.all(sql, args)[0] as Row | undefined,
  };
}

/** Prepared statements by text: the platform's statements are few and constant. */
class Statements {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  all(sql: string, args: readonly Value[]): unknown[] {
    return this.#prepare(sql).all(...args.map(bound));
  }

  run(sql: string, args: readonly Value[]): number {
    return this.#prepare(sql).run(...args.map(bound)).changes;
  }

  #prepare(sql: string): Database.Statement {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

function bound(value: Value): Value {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** Runs queued transactions in groups: one BEGIN and one synced COMMIT for all that wait, a savepoint each. */
class GroupCommit {
  readonly #database: Database.Database;
  readonly #statements: Statements;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#statements = new Statements(database);
  }

  transact<T>(fn: (writer: Writer) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#waiting.push({
        run: async (writer) => {
          result = await fn(writer);
        },
        settle: () => {
          resolve(result);
        },
        fail: reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const group = this.#waiting;
      this.#waiting = [];
      await this.#commit(group);
    }
    this.#draining = undefined;
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const done: Waiting[] = [];
    const after: (() => void)[] = [];
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const waiting of group) await this.#member(waiting, done, after);
      this.#database.exec('COMMIT');
    } catch (cause) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      for (const waiting of group) waiting.fail(cause);
      return;
    }
    for (const waiting of done) waiting.settle();
    for (const call of after) call();
  }

  async #member(waiting: Waiting, done: Waiting[], after: (() => void)[]): Promise<void> {
    const calls: (() => void)[] = [];
    this.#database.exec('SAVEPOINT member');
    try {
      await waiting.run(this.#writer(calls));
    } catch (cause) {
      this.#database.exec('ROLLBACK TO member');
      this.#database.exec('RELEASE member');
      waiting.fail(cause);
      return;
    }
    this.#database.exec('RELEASE member');
    done.push(waiting);
    after.push(...calls);
  }

  #writer(calls: (() => void)[]): Writer {
    const statements = this.#statements;
    return {
      all: async <Row>(sql: string, args: readonly Value[] = []) => statements.all(sql, args) as Row[],
      first: async <Row>(sql: string, args: readonly Value[] = []) =>
        statements.all(sql, args)[0] as Row | undefined,
      run: async (sql, args = []) => statements.run(sql, args),
      afterCommit: (fn) => {
        calls.push(fn);
      },
    };
  }
}
