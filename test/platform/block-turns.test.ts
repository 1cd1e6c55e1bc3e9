import { array, assert, constantFrom, nat, property, record, type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_SIZE, nextBatch, type Waiting } from '../../src/platform/chain/batch.js';

/** Queues of organisations whose addresses they partly share, with groups of one sender in a row. */
const pending: Arbitrary<readonly Waiting[]> = array(
  record({ org: constantFrom('a', 'b', 'c'), sender: constantFrom('1', '2', '3', '4'), size: nat(3) }),
  { minLength: 1, maxLength: 30 },
).map((asked) => {
  let id = 0;
  return asked.flatMap(({ org, sender, size }, at) =>
    Array.from({ length: Math.max(1, size) }, () => {
      id += 1;
      return { id, org, sender, group_id: size > 1 ? `g${String(at)}` : null };
    }),
  );
});

/** All batches until nothing waits. */
function drained(rows: readonly Waiting[]): (readonly Waiting[])[] {
  const batches: (readonly Waiting[])[] = [];
  let rest = rows;
  let after: string | undefined;
  while (rest.length > 0) {
    const batch = nextBatch(rest, after);
    expect(batch.rows.length).toBeGreaterThan(0);
    expect(batch.rehearsed === 0 || batch.rows[0]?.group_id !== null).toBe(true);
    after = batch.rows[0]?.org;
    batches.push(batch.rows);
    rest = rest.filter((row) => !batch.rows.includes(row));
  }
  return batches;
}

const isSorted = (ids: readonly number[]) => ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? 0));

describe('turns at the blocks', () => {
  it('take each transaction once, those of one address in the order of their nonces', () => {
    assert(
      property(pending, (rows) => {
        const taken = drained(rows).flat();
        expect(taken).toHaveLength(rows.length);
        for (const sender of new Set(rows.map((row) => row.sender)))
          expect(isSorted(taken.filter((row) => row.sender === sender).map(({ id }) => id))).toBe(true);
      }),
    );
  });

  it('keep the order of an organisation that shares no address', () => {
    assert(
      property(pending, (rows) => {
        const own = rows.map((row) => ({ ...row, sender: `${row.org}${row.sender}` }));
        const taken = drained(own).flat();
        for (const org of ['a', 'b', 'c'])
          expect(isSorted(taken.filter((row) => row.org === org).map(({ id }) => id))).toBe(true);
      }),
    );
  });

  it('bring every organisation into one of as many blocks as there are organisations', () => {
    assert(
      property(pending, (rows) => {
        const own = rows.map((row) => ({ ...row, sender: `${row.org}${row.sender}` }));
        const orgs = new Set(own.map(({ org }) => org));
        const first = drained(own).slice(0, orgs.size).flat();
        expect(new Set(first.map(({ org }) => org))).toEqual(orgs);
      }),
    );
  });

  it('put one transaction of a late organisation near the front of a block, whatever waits before it', () => {
    const long = Array.from({ length: 2 * BLOCK_SIZE }, (_, at) => ({
      id: at + 1,
      org: 'long',
      sender: '1',
      group_id: null,
    }));
    const late = { id: 9999, org: 'late', sender: '2', group_id: null };
    const { rows } = nextBatch([...long, late]);
    expect(rows).toHaveLength(BLOCK_SIZE);
    expect(rows.indexOf(late)).toBeLessThan(2);
  });
});
