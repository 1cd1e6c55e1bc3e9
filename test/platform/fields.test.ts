import { assert, integer, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { checksummed } from '../../src/platform/chain/signing.js';
import { Fields, jsonText } from '../../src/platform/handlers/fields.js';
import { ServiceError } from '../../src/platform/handlers/handler.js';
import { pageOf, paginationOf } from '../../src/platform/handlers/page.js';
import { readFilters, statusOf } from '../../src/platform/handlers/transaction-filters.js';

const CHECKSUMMED = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

function errorsOf(read: (fields: Fields) => void, body: { readonly [name: string]: Json }) {
  const fields = new Fields(body);
  read(fields);
  try {
    fields.check();
  } catch (cause) {
    if (cause instanceof ServiceError)
      return { status: cause.status, fields: Object.keys(cause.errors ?? {}) };
    throw cause;
  }
  return undefined;
}

describe('request fields', () => {
  it('report every mistake at once, under dotted names', () => {
    const read = (fields: Fields) => {
      fields.text('name');
      fields.address('wallet_address');
      fields.nested('field').integer('max_supply');
      fields.ids('tag_id');
    };
    expect(errorsOf(read, { wallet_address: '0x12', field: { max_supply: '-1' }, tag_id: [1, 'x'] })).toEqual(
      {
        status: 422,
        fields: ['name', 'wallet_address', 'field.max_supply', 'tag_id.1'],
      },
    );
  });

  it('take an empty string and null as absent', () => {
    expect(errorsOf((fields) => fields.text('a'), { a: '' })?.fields).toEqual(['a']);
    expect(errorsOf((fields) => fields.text('a'), { a: null })?.fields).toEqual(['a']);
    expect(new Fields({ a: '' }).optionalText('a')).toBeUndefined();
  });

  it('do not mistake members of every object for fields', () => {
    expect(errorsOf((fields) => fields.text('constructor'), {})?.fields).toEqual(['constructor']);
    expect(errorsOf((fields) => fields.nested('toString').text('valueOf'), {})?.status).toBe(422);
  });

  it.each(['a\0b', '\ud800'])('refuse text that cannot travel: %j', (text) => {
    expect(errorsOf((fields) => fields.text('a'), { a: text })?.fields).toEqual(['a']);
  });

  it.each([1.5, -1, 2 ** 53, '1e3', '0x10', ' 1', true, [1]])('refuse %j as a whole number', (value) => {
    expect(errorsOf((fields) => fields.integer('a'), { a: value })?.fields).toEqual(['a']);
  });

  it('give back every whole number as it was sent, as number or digits', () => {
    assert(
      property(nat(), (number) => {
        expect(new Fields({ a: number }).integer('a')).toBe(number);
        expect(new Fields({ a: String(number) }).integer('a')).toBe(number);
      }),
    );
  });

  it('keep distinct ids in order', () => {
    expect(new Fields({ ids: ['2', 1, 2] }).ids('ids')).toEqual([2, 1]);
  });
});

describe('an address', () => {
  it('is accepted in one case or with its checksum, and shown with its checksum', () => {
    expect(checksummed(CHECKSUMMED.toLowerCase())).toBe(CHECKSUMMED);
    expect(checksummed(CHECKSUMMED)).toBe(CHECKSUMMED);
  });

  it.each([
    CHECKSUMMED.replace('f39F', 'F39f'),
    CHECKSUMMED.slice(2),
    `${CHECKSUMMED}0`,
    `${CHECKSUMMED}\n`,
    '',
    5,
    undefined,
  ])('is not %j', (value) => {
    expect(checksummed(value)).toBeUndefined();
  });

  it('of zero receives nothing', () => {
    expect(errorsOf((fields) => fields.address('to'), { to: `0x${'0'.repeat(40)}` })?.fields).toEqual(['to']);
  });
});

describe('pages', () => {
  it('cover a list exactly once', () => {
    assert(
      property(nat(500), integer({ min: 1, max: 30 }), (total, size) => {
        const { last_page } = paginationOf(pageOf({}, size), total, 'http://x/y');
        const rows = Array.from({ length: last_page }, (_, at) => pageOf({ page: String(at + 1) }, size));
        const covered = rows.reduce(
          (sum, page) => sum + Math.min(page.size, Math.max(0, total - page.offset)),
          0,
        );
        expect(covered).toBe(total);
      }),
    );
  });

  it('name their neighbours, and none beyond the ends', () => {
    const page = paginationOf(pageOf({ page: '2' }, 10), 25, 'http://x/y');
    expect([page.prev_page_url, page.next_page_url]).toEqual(['http://x/y?page=1', 'http://x/y?page=3']);
    expect(paginationOf(pageOf({ page: '3' }, 10), 25, 'http://x/y').next_page_url).toBeNull();
  });

  it('lead to the other pages of the same question', () => {
    const query = { 'filter-version': '1-v100', page: '2', name: 'a&b' };
    const { next_page_url, first_page_url } = paginationOf(pageOf(query, 10), 25, 'http://x/y');
    const asked = (url: string | null): unknown => Object.fromEntries(new URL(url ?? '').searchParams);
    expect(asked(next_page_url)).toEqual({ ...query, page: '3' });
    expect(asked(first_page_url)).toEqual({ ...query, page: '1' });
  });

  it.each(['0', '-1', 'x', '1.5', '99999999999'])('refuse page %j', (page) => {
    expect(() => pageOf({ page }, 10)).toThrow(ServiceError);
  });
});

describe('filters of a transaction list', () => {
  const columns = { from: 'f', to: 't', contract: 'c' };

  it('look at the side of the transaction that filter names', () => {
    const where = (filter: string) =>
      readFilters({ wallet_address: CHECKSUMMED, filter }, columns).where.join(' AND ');
    expect(where('from')).toBe('(f = ?)');
    expect(where('to')).toBe('(t = ?)');
    expect(where('to|from')).toBe('(f = ? OR t = ?)');
    expect(where('from|to')).toBe('(f = ? OR t = ?)');
  });

  it('find nothing by receiver where nothing has one', () => {
    const filters = readFilters({ wallet_address: CHECKSUMMED, filter: 'to' }, { ...columns, to: undefined });
    expect(filters.where).toEqual(['1 = 0']);
  });

  it('know both words for failure', () => {
    expect([statusOf('fail'), statusOf('failed'), statusOf('nope')]).toEqual(['failed', 'failed', undefined]);
  });

  it.each([{ filter: 'both' }, { status: 'maybe' }, { wallet_address: '0x1' }, { contract_address: 'x' }])(
    'refuse %j',
    (query) => {
      expect(() => readFilters(query as Record<string, string>, columns)).toThrow(ServiceError);
    },
  );
});

describe('JSON nested beyond what can be written', () => {
  it('has no text', () => {
    const depth = 60_000;
    expect(jsonText(JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json)).toBeUndefined();
    expect(jsonText([1])).toBe('[1]');
  });
});
