import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { clientOf, at, listAt, type Client, type Credentials } from '../platform/client.js';
import { image } from '../platform/certificate-samples.js';
import { releasesOf } from '../platform/releases.js';
import { png, STORY, tellStory, type Files, type Story } from '../support/story.js';

const OFFICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const NOTE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Note { string public text; constructor(string memory text_) { text = text_; } }
`;

const PLAN = `windlass: 1
name: drift
wallets:
  office: { address: '${OFFICE}' }
projects:
  notes:
    versions:
      1.0.0: { compiler: { solidity: 0.8.37, optimizer: { enabled: true, runs: 200 } }, sources: [Note.sol] }
deployments:
  core: { version: notes@1.0.0, wallet: { type: organisation, use: office }, contracts: { Note: { params: { text_: hello } } } }
certificates:
  contracts:
    diplomas: { deployer: office, owner: office, name: Diplomas, symbol: DIP, max_supply: 0 }
  batches:
    class: { contract: diplomas, rows: rows.csv, key: id, to: office, name: "No {{id}}", description: "-", image: one.png }
`;

const FILES: Files = { 'windlass.yaml': PLAN, 'Note.sol': NOTE, 'rows.csv': 'id\n1\n', 'one.png': png(1) };

/** One certificate contract and nothing else. */
const HANDOVER = `windlass: 1
name: handover
wallets:
  office: { address: '${OFFICE}' }
certificates:
  contracts:
    diplomas: { deployer: office, owner: office, name: Diplomas, symbol: DIP, max_supply: 0 }
`;

const BATCH = `  batches:
    class: { contract: diplomas, rows: rows.csv, key: id, to: office, name: "No {{id}}", description: "-", image: one.png }
`;

const ROWS = ['id', ...Array.from({ length: 25 }, (_, index) => index + 1)].join('\n');

const HANDOVER_FILES: Files = { 'windlass.yaml': HANDOVER, 'rows.csv': `${ROWS}\n`, 'one.png': png(1) };

/** The mints that were sent, or were about to be. */
async function intendedMints({ folder }: Story): Promise<readonly string[]> {
  const journal = await readFile(join(folder, '.windlass/env/local/journal.jsonl'), 'utf8');
  return journal
    .split('\n')
    .filter((line) => line.includes('step-intended') && line.includes('certificate.class['));
}

/** The platform as somebody without Windlass uses it. */
async function byHand({
  folder,
  apiUrl,
}: Story): Promise<{ api: Client; releases: ReturnType<typeof releasesOf> }> {
  const text = await readFile(join(folder, '.windlass/platform.json'), 'utf8');
  const credentials = JSON.parse(text) as Credentials;
  const api = clientOf(apiUrl, credentials);
  return { api, releases: releasesOf(apiUrl, credentials, api) };
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(20);
  }
}

describe('what was made by hand', () => {
  it(
    'is taken over: version, contract, certificate contract and certificate; then there is nothing to do',
    async () => {
      await tellStory(FILES, {}, async (story) => {
        const { run } = story;
        const { api, releases } = await byHand(story);
        const made = await releases.compiled('notes', { sources: { 'Note.sol': NOTE } });
        await api.post(`${made.path}/deploy`, {
          wallet_options: { type: 'organisation', address: OFFICE },
          deployment_params: [
            { sc_artifact_id: made.ids['Note'] ?? 0, params: { text_: 'hello' }, order: 1 },
          ],
        });
        const contract = await until(async () => {
          const events = listAt(await releases.detail(made.project, made.slug), 'emitted_events');
          const instances = (await story.get('/api/contract/smart-contracts')) as readonly JsonObject[];
          return (events[0]?.['contract_address'] ?? instances[0]?.['contract_address']) as
            | string
            | undefined;
        });
        await api.post('/api/certificate/create-smartcontract', {
          wallet_address: OFFICE,
          name: 'diplomas',
          field: { wallet_address_owner: OFFICE, max_supply: 0, name: 'Diplomas', symbol: 'DIP' },
        });
        const diplomas = await until(async () => {
          const { body } = await api.get('/api/certificate/get-smart-contract');
          const address = listAt(body, 'result')[0]?.['contract_address'];
          return typeof address === 'string' && address !== '' ? address : undefined;
        });
        const minted = await api.form(
          '/api/certificate/mint-certificate',
          {
            wallet_address: OFFICE,
            to: OFFICE,
            contract_address: diplomas,
            name: 'No 1',
            description: '-',
            attributes: '[]',
          },
          image(Buffer.from(png(1))),
        );
        const token = JSON.stringify(at(minted.body, 'result.nft_token_id'));
        await until(async () => {
          const query = { contract_address: diplomas, status: 'success' };
          return listAt((await api.get('/api/certificate/get-certificate', query)).body, 'result')[0];
        });
        const block = await story.chain.getBlockNumber();

        for (const [id, given] of [
          ['project.notes', `slug=${made.project}`],
          ['version.notes@1.0.0', `slug=${made.slug}`],
          ['contract.core.Note', `address=${contract}`],
          ['certificate-contract.diplomas', `address=${diplomas}`],
          ['certificate.class[1]', `token=${token}`],
        ] as const) {
          expect(await run('adopt', id, given), id).toMatchObject({ code: 0 });
        }
        expect((await story.apply()).stderr).toContain('Nothing to do');
        expect(await run('verify')).toMatchObject({ code: 0 });
        expect(await story.chain.getBlockNumber()).toBe(block);
      });
    },
    STORY,
  );
});

const LABELS = `windlass: 1
name: labels
wallets: { office: { address: '${OFFICE}' } }
audit:
  contracts: { releases: {} }
  categories: [release]
  tags: [v1]
  records: { shipped: { contract: releases, signer: office, metadata: { a: 1 }, categories: [release], tags: [v1] } }
`;

describe('a category or tag of the name that is there already', () => {
  it(
    'is used and not made a second time; of several none is taken by chance, until the plan names one',
    async () => {
      await tellStory({ 'windlass.yaml': LABELS }, {}, async (story) => {
        const { run } = story;
        const { api } = await byHand(story);
        for (const [path, name] of [
          ['category', 'other'],
          ['category', 'release'],
          ['tag', 'v1'],
          ['tag', 'v1'],
        ] as const)
          await api.post(`/api/audit/${path}`, { name });
        const named = async (path: string) =>
          ((await story.get(`/api/audit/${path}`)) as readonly { id: number; name: string }[]).filter(
            ({ name }) => name === 'release' || name === 'v1',
          );
        const [category] = await named('category');
        const [, second] = await named('tag');

        const choice = await run('plan');
        expect(choice.code).toBe(3);
        expect(choice.stdout).toContain('= category.release');
        expect(choice.stdout).toMatch(/! tag\.v1 +2 of this name are there/);

        const chosen = LABELS.replace(
          'tags: [v1]\n  records',
          `tags: { v1: { id: ${second?.id} } }\n  records`,
        );
        await story.write({ 'windlass.yaml': chosen });
        await story.apply();
        expect(await named('category')).toEqual([category]);
        expect(await named('tag')).toHaveLength(2);
        expect((await story.resources())['category.release']?.outputs).toEqual({ id: category?.id });
        expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
        expect(await run('verify')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );
});

describe('drift', () => {
  it(
    'is shown apart from what the plan wants, ends with 6, and enters the lock where that is safe, and nowhere else',
    async () => {
      await tellStory(FILES, {}, async (story) => {
        const { run } = story;
        const versionOnly = ['--target', 'version.notes@1.0.0'];
        await story.apply(...versionOnly);
        expect(await run('plan', '--refresh-only')).toMatchObject({ code: 0 });

        const { releases } = await byHand(story);
        const [, slug = ''] = /"slug": "(1-[^"]+)"/.exec(await readFile(lockOf(story), 'utf8')) ?? [];
        const path = `/api/contract/projects/notes/versions/${slug}`;
        const edited = NOTE.replace('public text', 'public words').replace('text = text_', 'words = text_');
        await releases.submit(path, { sources: { 'Note.sol': edited } });
        await releases.settled('notes', slug);
        const tampered = await run('plan', '--refresh-only');
        expect(tampered).toMatchObject({ code: 6 });
        expect(tampered.stdout).toContain('bytecode.Note');
        expect(tampered.stdout).toContain('sources[Note.sol]');
        expect((await run('verify')).code).toBe(6);
        await releases.submit(path, { sources: { 'Note.sol': NOTE } });
        await releases.settled('notes', slug);
        expect(await run('plan', '--refresh-only')).toMatchObject({ code: 0 });

        await releases.submit(path, {
          sources: { 'Note.sol': NOTE },
          packages: ['@openzeppelin/contracts@5.0.2'],
        });
        await releases.settled('notes', slug);
        const shown = await run('plan', '--refresh-only', '--format', 'json');
        expect(shown.code).toBe(6);
        const { changes, steps } = JSON.parse(shown.stdout) as {
          readonly changes: readonly { readonly drift: readonly { readonly path: string }[] }[];
          readonly steps: readonly unknown[];
        };
        expect(changes.flatMap(({ drift }) => drift.map((field) => field.path))).toEqual(['packages[0]']);
        expect(steps).toEqual([]);
        const before = await readFile(lockOf(story), 'utf8');
        expect((await run('plan', ...versionOnly)).code).toBe(6);
        expect((await run('apply', '--refresh-only')).code).toBe(3);
        expect(await readFile(lockOf(story), 'utf8')).toBe(before);
        expect((await run('apply', '--refresh-only', '--yes')).code).toBe(0);
        expect(await run('plan', '--refresh-only')).toMatchObject({ code: 0 });
        const next = await run('plan', ...versionOnly);
        expect(next.stdout).toContain('~ version.notes@1.0.0');
        await story.apply();
        expect(await run('verify')).toMatchObject({ code: 0 });
      });
    },
    STORY,
  );
});

describe('a certificate contract that was handed to another owner', () => {
  it(
    'is drift that plan and verify show, enters the lock when that is asked for, and then the plan must name the owner',
    async () => {
      await tellStory(HANDOVER_FILES, {}, async (story) => {
        const { run } = story;
        await story.apply();
        expect(await run('plan', '--refresh-only')).toMatchObject({ code: 0 });
        expect(await run('verify')).toMatchObject({ code: 0 });
        const { api } = await byHand(story);
        const [clerk = ''] = ((await story.get('/api/wallet/wallet')) as readonly { address: string }[])
          .map(({ address }) => address)
          .filter((address) => address !== OFFICE);
        const { ['certificate-contract.diplomas']: contract_address = '' } = await story.addresses();
        const body = { wallet_address: OFFICE, to: clerk, contract_address };
        expect(await api.post('/api/certificate/owner-transfer', body)).toMatchObject({ status: 200 });

        const owned = await until(async () => {
          const shown = await run('plan', '--format', 'json');
          const { changes } = JSON.parse(shown.stdout) as {
            readonly changes: readonly { readonly id: string; readonly drift: readonly JsonObject[] }[];
          };
          return changes.find(({ drift }) => drift.length > 0);
        });
        expect(owned).toMatchObject({
          id: 'certificate-contract.diplomas',
          action: 'none',
          drift: [{ path: 'owner', before: OFFICE, after: clerk }],
        });
        expect((await run('plan')).stdout).toMatch(/^Next: windlass plan --refresh-only$/m);
        const checked = await run('verify', '--format', 'json');
        expect(checked.code).toBe(6);
        expect(JSON.parse(checked.stdout)).toMatchObject({
          mismatches: [{ id: 'certificate-contract.diplomas', fields: [{ path: 'owner', after: clerk }] }],
        });

        await story.write({ 'windlass.yaml': HANDOVER + BATCH });
        const refused = await run('apply', '--yes');
        expect(refused.code).toBe(3);
        expect(refused.stderr).toContain(`diplomas belongs to ${clerk} by now`);
        expect(await intendedMints(story)).toHaveLength(0);

        const handed = (HANDOVER + BATCH).replace('owner: office', `owner: '${clerk}'`);
        await story.write({ 'windlass.yaml': handed });
        const early = await run('plan');
        expect(early.code).toBe(3);
        expect(early.stdout).toContain('apply --refresh-only');
        expect(await run('apply', '--refresh-only', '--yes')).toMatchObject({ code: 0 });
        await story.apply();
        expect(await intendedMints(story)).toHaveLength(25);
        expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
        expect(await run('verify')).toMatchObject({ code: 0 });
        await story.write({ 'windlass.yaml': HANDOVER });
        expect((await run('plan')).code).toBe(3);
      });
    },
    STORY,
  );
});

function lockOf({ folder }: Story): string {
  return join(folder, 'windlass.local.lock.json');
}
