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
  /** Settles with the reason when the database went away: nothing can be recorded any more. */
  readonly lost: Promise<string>;
  /** Removes a table and what its rows left in the database's files. Backups and archived logs are beyond its reach. */
  expunge(table: string): Promise<void>;
  /** Waits for the transactions under way, then closes. */
  close(): Promise<void>;
}

/** Tables that one module owns. `statements` are idempotent (`CREATE TABLE IF NOT EXISTS …`). */
export interface TableGroup {
  readonly name: string;
  readonly statements: readonly string[];
}
