import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { search } from '../../src/platform/console/search.js';
import { searchPatterns, searchText } from '../../src/platform/state/search-text.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Context } from '../../src/platform/handlers/handler.js';
import { PNG } from './certificate-samples.js';
import { listAt, textAt } from './client.js';
import { releaseEverything, type ConsoleWorld } from './console-world.js';
import { openReleases, type Releases } from './releases.js';

const KEY = 'oxz6spvjdzpbucaq';

let releases: Releases;
let world: ConsoleWorld;

beforeAll(async () => {
  releases = await openReleases();
  world = await releaseEverything(releases);
  const { api, platform } = releases;
  const wallet = platform.wallets[0] ?? '';
  for (const [path, name] of [
    ['category', 'Quarterly Review'],
    ['tag', 'Übermut'],
  ] as const)
    await api.post(`/api/audit/${path}`, { name });
  await api.post('/_platform/wallets', { name: 'Treasury Ägäis' });
  await api.post('/_platform/keys', { name: 'nightly build' });
  await api.post('/api/wallet/create-user', {
    name: 'Zaphod Beeblebrox',
    wallet_name: 'Zaphod Savings',
    email: 'zaphod@example.com',
    ic: '900101-01-9999',
  });
  const attributes = JSON.stringify([
    { trait: 'Programme', value: 'Épistémologie' },
    { trait: 'ref', value: KEY },
  ]);
  const mint = {
    wallet_address: wallet,
    to: wallet,
    contract_address: world.diplomas,
    name: 'Prize of Ștefan',
  };
  const form = { ...mint, attributes, description: 'for his thesis' };
  await api.form('/api/certificate/mint-certificate', form, { filename: 'a.png', bytes: PNG });
  const metadata = JSON.stringify({ d: 'x'.repeat(43), k: 'sszz6xscczcg4q53', v: 'Sealed by the Registrar' });
  const [contract] = listAt((await api.get('/_platform/console/audit')).body, 'result.items');
  await api.post('/api/audit/audit', {
    wallet_address: wallet,
    contract_address: textAt(contract!, 'contract_address'),
    metadata,
    category_id: [],
    tag_id: [],
  });
}, 120_000);

afterAll(() => releases.close());

interface Hit {
  readonly kind: string;
  readonly title: string;
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

async function hits(q: string): Promise<readonly Hit[]> {
  const { status, body } = await releases.api.get('/_platform/console/search', { q });
  expect(status).toBe(200);
  return listAt(body, 'result.items') as unknown as readonly Hit[];
}

/** Addresses within the console that a search leads to, of one kind. */
async function leads(q: string, kind: string): Promise<readonly string[]> {
  return (await hits(q))
    .filter((hit) => hit.kind === kind)
    .map(
      ({ path, query }) =>
        `${path.join('/')}${Object.entries(query)
          .map(([name, value]) => `?${name}=${value}`)
          .join('')}`,
    );
}

describe('a search of the console', () => {
  it('finds what has a name, by a part of it, in whatever letters, and leads there', async () => {
    expect(await leads('registr', 'project')).toEqual(['projects/registry']);
    expect(await leads('registry@1.0', 'version')).toEqual(['projects/registry/1-100']);
    expect(await leads('TOKEN', 'compiled contract')).toEqual(['projects/registry/1-100']);
    expect(await leads('registry', 'deployed contract')).toEqual([`deployments/${world.deployment}`]);
    expect(await leads(world.deployment.slice(3), 'deployment')).toEqual([`deployments/${world.deployment}`]);
    expect(await leads('releas', 'audit contract')).toEqual([expect.stringMatching(/^audit\?contract=0x/)]);
    expect(await leads('quarterly', 'category')).toEqual(['audit?category=1']);
    expect(await leads('Übermut', 'tag')).toEqual(['audit?tag=1']);
    expect(await leads('TREASURY Ägäis', 'wallet')).toEqual([expect.stringMatching(/^wallets\/0x/)]);
    expect(await leads('campus diploma', 'certificate contract')).toEqual([`certificates/${world.diplomas}`]);
    expect(await leads('NIGHTLY', 'API key')).toEqual(['keys']);
  });

  it('finds a certificate by its name, its number, what its attributes say and the plan’s key', async () => {
    const there = [`certificates/${world.diplomas}/2`];
    for (const text of ['prize of șTEFAN', 'DIP 2', 'épistémologie', KEY, KEY.slice(4, 12)])
      expect([text, await leads(text, 'certificate')]).toEqual([text, there]);
    expect(await leads('2', 'certificate')).toEqual(there);
  });

  it('finds an audit record by what its author wrote, by its key and by its number', async () => {
    for (const text of ['sealed by', 'sszz6xscczcg4q53', '2'])
      expect([text, await leads(text, 'audit record')]).toEqual([text, ['audit/2']]);
  });

  it('finds addresses and hashes, whole and in part, and callbacks by their number', async () => {
    expect(await leads(world.registry.toLowerCase(), 'deployed contract')).toEqual([
      `deployments/${world.deployment}`,
    ]);
    expect(await leads(world.registry.slice(2, 20), 'transaction')).toHaveLength(1);
    expect(await leads(world.record, 'transaction')).toEqual([`transactions/${world.record}`]);
    expect(await leads(world.record.toUpperCase().replace('X', 'x'), 'audit record')).toEqual(['audit/1']);
    expect(await leads('callback 1', 'callback')).toContain('requests/callbacks/1');
  });

  it('names no person: neither by the name, nor by that of the wallet, nor by what else is known', async () => {
    for (const text of ['zaphod', 'Beeblebrox', 'savings', 'zaphod@example.com', '900101', 'Alice Tan'])
      expect([text, await hits(text)]).toEqual([text, []]);
    const [own] = await hits(world.person);
    expect(own).toMatchObject({ kind: 'wallet', title: 'Wallet of a person' });
  });

  it('takes wildcards, quotes and what is no text as they stand', async () => {
    for (const text of ['r%y', '__', '%%', '!_', "' OR 1=1 --", '\\%'])
      expect([text, await hits(text)]).toEqual([text, []]);
    expect((await releases.api.get('/_platform/console/search', { q: 'x'.repeat(201) })).status).toBe(422);
    expect((await releases.api.get('/_platform/console/search', { q: 'a\0b' })).status).toBe(422);
    expect(await hits('r')).toEqual([]);
  });

  it('shows nobody what another organisation has', async () => {
    for (const q of ['registry', world.registry, world.record, 'audit record 1', KEY, 'development']) {
      const { body } = await releases.stranger.get('/_platform/console/search', { q });
      expect([q, listAt(body, 'result.items')]).toEqual([q, []]);
    }
  });

  it('shows six of a kind, says that there is more, and puts whole matches first', async () => {
    const { body } = await releases.api.get('/_platform/console/search', { q: 'wallet' });
    expect(listAt(body, 'result.items').filter(({ kind }) => kind === 'wallet')).toHaveLength(6);
    expect(body).toMatchObject({ result: { more: ['wallet'] } });
    expect((await hits('registry'))[0]).toMatchObject({ kind: 'project' });
  });
});

describe('the rows that a search reads', () => {
  it('are the newest 10,000 of a kind; a whole hash and a whole address are looked up instead', async () => {
    const askedFor = async (q: string): Promise<readonly string[]> => {
      const asked: string[] = [];
      const records = {
        all: async (sql: string) => {
          asked.push(sql);
          return [];
        },
      };
      await search({ records } as unknown as Context, { org: 'o', params: {}, query: { q } });
      return asked;
    };
    const bounded = /ORDER BY (?:\w\.)?id DESC LIMIT 10000\) AS found/;
    const part = await askedFor('some text');
    expect(part.length).toBeGreaterThan(10);
    expect(part.filter((sql) => !bounded.test(sql) || !sql.endsWith('LIMIT 7'))).toEqual([]);
    const exact = (sqls: readonly string[]): number => sqls.filter((sql) => !bounded.test(sql)).length;
    expect(exact(await askedFor(`0x${'ab'.repeat(32)}`))).toBe(3);
    expect(exact(await askedFor(`0x${'ab'.repeat(20)}`))).toBe(4);
  });
});

describe('a pattern', () => {
  it('finds in a kept text what is in it, wildcards and all, and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'patterns-'));
    const records = openRecords(join(folder, 'records.db'), []);
    const text = fc.string({ unit: 'grapheme', maxLength: 30 });
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.string({ unit: fc.constantFrom('%', '_', '!', 'a'), maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(text, part, text, part, async (before, inside, after, sought) => {
        const kept = searchText([before + inside + after]);
        const found = async (pattern: string): Promise<boolean> =>
          (await records.first<{ hit: number }>(`SELECT lower(?) LIKE ? ESCAPE '!' AS hit`, [kept, pattern]))
            ?.hit === 1;
        const folded = sought.normalize('NFC').toLowerCase();
        expect(await found(searchPatterns(sought)[0])).toBe(kept.includes(folded));
      }),
    );
    await records.close();
    await rm(folder, { recursive: true });
  });
});
