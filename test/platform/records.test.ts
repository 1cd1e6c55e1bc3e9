import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insert } from '../../src/platform/state/insert.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import { openPostgres, shown } from '../../src/platform/state/postgres.js';
import { definition, numbered } from '../../src/platform/state/postgres-sql.js';
import type { Records, TableGroup } from '../../src/platform/state/records.js';
import { allTables } from '../../src/platform/store.js';
import { startPostgres, type PostgresServer } from '../support/postgres.js';

const TABLES: TableGroup = {
  name: 'test',
  statements: [
    `CREATE TABLE IF NOT EXISTS things (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, size INTEGER)`,
    `CREATE UNIQUE INDEX IF NOT EXISTS things_by_name ON things (name) WHERE size IS NULL OR size > 0`,
    `CREATE TABLE IF NOT EXISTS parts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      thing INTEGER NOT NULL REFERENCES things (id) DEFERRABLE INITIALLY DEFERRED)`,
  ],
};

const server = await startPostgres();
if (typeof server === 'string')
  process.stderr.write(`\n!!! THE TESTS OF POSTGRES ARE LEFT OUT: ${server}\n\n`);
const postgres: PostgresServer | undefined = typeof server === 'string' ? undefined : server;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'records-'));
});
afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true });
});

let made = 0;
const stores: readonly (readonly [string, () => Promise<Records>, boolean])[] = [
  ['libsql', async () => openRecords(join(folder, `${String((made += 1))}.db`), [TABLES]), false],
  [
    'Postgres',
    async () => openPostgres({ url: await postgres!.database(), password: postgres!.password }, [TABLES]),
    postgres === undefined,
  ],
];

for (const [name, openNew, absent] of stores) {
  describe.skipIf(absent)(`records in ${name}`, () => {
    let records: Records;
    beforeEach(async () => {
      records = await openNew();
      return () => records.close();
    });
    const add = (thing: string, size: number | null = null) =>
      records.transact((writer) =>
        insert(writer, 'INSERT INTO things (name, size) VALUES (?, ?)', [thing, size]),
      );
    const names = async () =>
      (await records.all<{ name: string }>('SELECT name FROM things ORDER BY name')).map((row) => row.name);

    it('are there when a transaction has ended, with ids that count from 1', async () => {
      expect([await add('b'), await add('a')]).toEqual([1, 2]);
      expect(await names()).toEqual(['a', 'b']);
      const sql = 'SELECT * FROM things WHERE name = ?';
      expect({ ...(await records.first<object>(sql, ['b'])) }).toEqual({ id: 1, name: 'b', size: null });
      expect(await records.first(sql, ['c'])).toBeUndefined();
    });

    it('hold numbers to 2^53, and any text', async () => {
      const text = `"quotes" 'and' ? signs, Ünïcode, 🎓 and\nlines`;
      await add(text, Number.MAX_SAFE_INTEGER);
      expect(await records.first('SELECT size, name FROM things WHERE name = ?', [text])).toMatchObject({
        size: Number.MAX_SAFE_INTEGER,
        name: text,
      });
      expect(await records.first<{ n: number }>('SELECT count(*) AS n FROM things')).toMatchObject({ n: 1 });
    });

    it('order text by its bytes', async () => {
      for (const thing of ['b', 'B', 'a', 'Z', 'é', '_']) await add(thing);
      expect(await names()).toEqual(['B', 'Z', '_', 'a', 'b', 'é']);
    });

    it('are not seen before the end, and are seen inside their own transaction', async () => {
      await records.transact(async (writer) => {
        await writer.run('INSERT INTO things (name) VALUES (?)', ['mine']);
        expect(await writer.all('SELECT id FROM things')).toHaveLength(1);
        expect(await records.all('SELECT id FROM things')).toHaveLength(0);
      });
      expect(await records.all('SELECT id FROM things')).toHaveLength(1);
    });

    it('lose what a transaction that fails has written, and nothing of those that share its commit', async () => {
      const told: string[] = [];
      const outcomes = await Promise.allSettled([
        add('one'),
        records.transact(async (writer) => {
          writer.afterCommit(() => told.push('never'));
          await writer.run('INSERT INTO things (name) VALUES (?)', ['lost']);
          throw new Error('no');
        }),
        records.transact(async (writer) => {
          writer.afterCommit(() => told.push('two'));
          await writer.run('INSERT INTO things (name) VALUES (?)', ['two']);
        }),
        records.transact((writer) => writer.run('INSERT INTO things (name) VALUES (?)', ['one'])),
        add('three'),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect(await names()).toEqual(['one', 'three', 'two']);
      expect(told).toEqual(['two']);
    });

    it('fail everything that shared a commit which the database refuses, and go on', async () => {
      const told: string[] = [];
      const outcomes = await Promise.allSettled([
        add('shared'),
        records.transact(async (writer) => {
          writer.afterCommit(() => told.push('never'));
          await writer.run('INSERT INTO parts (thing) VALUES (?)', [999]);
        }),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect([await names(), told]).toEqual([[], []]);
      await add('next');
      expect(await names()).toEqual(['next']);
    });

    it('are written in order and read as they are committed while commits go on', async () => {
      const written: number[] = [];
      const seen: number[] = [];
      const reading = (async () => {
        while (written.length < 60) {
          const row = await records.first<{ n: number }>('SELECT count(*) AS n FROM things');
          seen.push(row?.n ?? 0);
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const writing = Array.from({ length: 20 }, async (_, index) => {
        for (let round = 0; round < 3; round += 1)
          written.push(await add(`${String(index)} ${String(round)}`));
      });
      await Promise.all(writing);
      await reading;
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(new Set(written).size).toBe(60);
      expect(await names()).toHaveLength(60);
    });

    it('say how many rows changed, and keep the rule of a partial index', async () => {
      for (const size of [null, 0, 0]) await add('same', size);
      const run = (sql: string, ...args: (string | number)[]) =>
        records.transact((writer) => writer.run(sql, args));
      expect(await run('UPDATE things SET size = ? WHERE size = ?', -1, 0)).toBe(2);
      expect(await run('INSERT INTO things (name) VALUES (?) ON CONFLICT DO NOTHING', 'same')).toBe(0);
    });

    it('take a hundred transactions at once in the order in which they came', async () => {
      const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => add(`thing ${String(index)}`)));
      expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    });
  });
}

describe.skipIf(!postgres)('a Postgres database', () => {
  const place = async () => ({
    url: await postgres!.database(),
    password: postgres!.password,
    patience: 60_000,
  });

  it('takes every table of the platform, twice', async () => {
    const where = await place();
    const statements = allTables().flatMap((group) => group.statements);
    const names = statements.flatMap((sql) => /^\s*CREATE TABLE IF NOT EXISTS (\w+)/.exec(sql)?.[1] ?? []);
    expect(names.length).toBeGreaterThan(10);
    for (let time = 0; time < 2; time += 1) {
      const records = await openPostgres(where, allTables());
      for (const name of names) expect(await records.all(`SELECT * FROM ${name}`)).toEqual([]);
      await records.close();
    }
  });

  it('is written by one platform at a time', async () => {
    const where = await place();
    const first = await openPostgres(where, [TABLES]);
    await expect(openPostgres({ ...where, patience: 300 }, [TABLES])).rejects.toMatchObject({
      name: 'DatabaseLocked',
    });
    await first.close();
    await (await openPostgres(where, [TABLES])).close();
  });

  it('that goes away is told of, and nothing is written afterwards', async () => {
    const records = await openPostgres(await place(), [TABLES]);
    await postgres!.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'windlass platform'`,
    );
    expect(await records.lost).toContain('database');
    await expect(records.transact((writer) => writer.run('DELETE FROM things'))).rejects.toThrow();
    await records.close();
  });

  it('is named without its password, also when it cannot be reached', async () => {
    const { url } = await place();
    expect(shown(url.replace('windlass@', 'windlass:hidden@'))).not.toContain('hidden');
    const wrong = openPostgres({ url: url.replace('windlass@', 'windlass:hidden@') }, [TABLES]);
    await expect(wrong).rejects.toThrow(/cannot be used/);
    await wrong.catch((cause: unknown) => expect(String(cause)).not.toContain('hidden'));
  });
});

describe('a statement', () => {
  it('has numbered places for Postgres, and none inside quotes', () => {
    expect(numbered(`SELECT '?' AS "a?", x FROM t WHERE y = ? AND z = 'it''s ?' AND w = ?`)).toBe(
      `SELECT '?' AS "a?", x FROM t WHERE y = $1 AND z = 'it''s ?' AND w = $2`,
    );
    expect(definition('CREATE TABLE t (id INTEGER PRIMARY KEY, wallet_id INTEGER PRIMARY KEY, n TEXT)')).toBe(
      'CREATE TABLE t (id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, wallet_id BIGINT PRIMARY KEY, ' +
        'n TEXT COLLATE "C")',
    );
  });
});
