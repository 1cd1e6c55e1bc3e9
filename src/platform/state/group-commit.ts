import type { Reader, Value, Writer } from './records.js';

/** One connection to a database, which runs one statement after another. */
export interface Session {
  /** Statement that begins a transaction which will write. */
  readonly begin: string;
  all(sql: string, args: readonly Value[]): Promise<readonly unknown[]>;
  /** The first row, if there is one. The statement runs to its end even so. */
  first(sql: string, args: readonly Value[]): Promise<unknown>;
  /** Answers how many rows changed. */
  run(sql: string, args: readonly Value[]): Promise<number>;
  /** Runs a statement without arguments. */
  exec(sql: string): Promise<void>;
  /** Ends the transaction, and answers when it is on disk. Whoever needs no writer goes on meanwhile. */
  commit(): Promise<void>;
}

/** Reads over a way to run statements. */
export function readerOver(session: Pick<Session, 'all' | 'first'>): Reader {
  return {
    all: async <Row>(sql: string, args: readonly Value[] = []) =>
      (await session.all(sql, args)) as readonly Row[],
    first: async <Row>(sql: string, args: readonly Value[] = []) =>
      (await session.first(sql, args)) as Row | undefined,
  };
}

interface Waiting {
  readonly run: (writer: Writer) => Promise<void>;
  readonly settle: () => void;
  readonly fail: (cause: unknown) => void;
}

/** Runs queued transactions in groups: one BEGIN and one synced COMMIT for all that wait, a savepoint each. */
export class GroupCommit {
  readonly #session: Session;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** See `Records.transact`. */
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

  /** Waits until nothing is under way. */
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
    let begun = false;
    try {
      await this.#session.exec(this.#session.begin);
      begun = true;
      for (const waiting of group) await this.#member(waiting, done, after);
      await this.#session.commit();
    } catch (cause) {
      if (begun) await this.#session.exec('ROLLBACK').catch(() => undefined);
      for (const waiting of group) waiting.fail(cause);
      return;
    }
    for (const waiting of done) waiting.settle();
    for (const call of after) call();
  }

  async #member(waiting: Waiting, done: Waiting[], after: (() => void)[]): Promise<void> {
    const calls: (() => void)[] = [];
    await this.#session.exec('SAVEPOINT member');
    try {
      await waiting.run(this.#writer(calls));
    } catch (cause) {
      await this.#session.exec('ROLLBACK TO SAVEPOINT member');
      await this.#session.exec('RELEASE SAVEPOINT member');
      waiting.fail(cause);
      return;
    }
    await this.#session.exec('RELEASE SAVEPOINT member');
    done.push(waiting);
    after.push(...calls);
  }

  #writer(calls: (() => void)[]): Writer {
    const session = this.#session;
    return {
      ...readerOver(session),
      run: (sql, args = []) => session.run(sql, args),
      afterCommit: (fn) => {
        calls.push(fn);
      },
    };
  }
}
