import { describe, expect, test } from 'vitest';
import type { ReadRequest } from '../../src/kinds/operation.js';
import { knowledgeOf, survey } from '../../src/execute/survey.js';
import { abilities, address, category, certificate, plan, resource } from '../support/builders.js';
import { found, UNREADABLE } from '../support/judging.js';
import { lineage } from '../support/locked.js';

const ALL = abilities();
const OLD = lineage({ locked: { 'category.old': [{ name: 'old' }, { id: 7 }] } });
const MOVED = plan([{ ...category('old'), id: 'category.new' }], {
  moved: { 'category.old': 'category.new' },
});

describe('looking at a plan', () => {
  test('asks nothing offline', async () => {
    expect(await survey(MOVED, OLD, ALL, undefined)).toEqual(new Map());
  });

  test('asks equal questions once, however many rows a batch has', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => certificate(String(index)));
    const locked = Object.fromEntries(
      rows.map(({ id }, index) => [id, [{ contract: address('nft') }, { tokenId: String(index) }] as const]),
    );
    const asked: ReadRequest[] = [];
    const read = (request: ReadRequest): Promise<ReturnType<typeof found>> => {
      asked.push(request);
      return Promise.resolve(found([{ nft_token_id: 3 }]));
    };
    const seen = await survey(plan(rows), lineage({ locked }), ALL, { read });
    expect(asked).toHaveLength(1);
    expect(seen.get('certificate.class[3]')?.sight).toBe('present');
    expect(seen.get('certificate.class[4]')?.sight).toBe('absent');
  });

  test('finds what is moved under its old id', async () => {
    const read = (): Promise<ReturnType<typeof found>> => Promise.resolve(found([{ id: 7, name: 'old' }]));
    expect((await survey(MOVED, OLD, ALL, { read })).get('category.new')?.sight).toBe('present');
    expect(knowledgeOf(MOVED, OLD, ALL).outputs('category.new')).toEqual({ id: 7 });
  });

  test('never takes what cannot be read for unchanged', async () => {
    const read = (): Promise<typeof UNREADABLE> => Promise.resolve(UNREADABLE);
    const seen = await survey(MOVED, OLD, ALL, { read });
    expect(seen.get('category.new')?.sight).toBe('unreadable');
  });

  test('asks nothing about what the plan names by address', async () => {
    const named = plan([resource('wallet.x', 'wallet', { address: address('x') })]);
    const read = (): Promise<never> => Promise.reject(new Error('asked'));
    expect((await survey(named, lineage({}), ALL, { read })).has('wallet.x')).toBe(false);
  });
});
