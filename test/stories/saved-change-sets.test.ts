import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, windlass, windlassProcess, type Ended } from '../cli/command.js';
import { png, STORY, tellStory, writeFiles, type Files, type Story } from '../support/story.js';

const CANARIES = {
  WINDLASS_VAR_ALICE_EMAIL: 'alice-canary-5501@people.example',
  WINDLASS_VAR_ALICE_IC: '881122-canary-5502',
  KEY: `0x${'5c'.repeat(31)}03`,
};
const BOB = { email: 'bob-canary-5504@people.example', ic: '770101-canary-5505' };
const HIDDEN = [...Object.values(CANARIES), ...Object.values(BOB)];

const PLAN = `windlass: 1
name: saved
wallets:
  office: { address: 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 }
  alice: { create: { name: Alice, email: { env: WINDLASS_VAR_ALICE_EMAIL }, ic: { env: WINDLASS_VAR_ALICE_IC } } }
  bob: { create: { name: Bob, email: ${BOB.email}, ic: ${BOB.ic} } }
projects:
  notes: { versions: { 1.0.0: { compiler: { solidity: 0.8.37 }, sources: [src/*.sol] } } }
deployments:
  core: { version: notes@1.0.0, wallet: { type: organisation, use: office }, contracts: { Note: { params: { text_: "for <alice_ADDRESS>" } } } }
audit:
  tags: [v1, v2]
certificates:
  contracts:
    diplomas: { deployer: office, owner: office, name: Diplomas, symbol: DIP, max_supply: 0 }
  batches:
    class: { contract: diplomas, rows: data/rows.csv, key: id, to: bob, name: "No {{id}}", description: "-", image: images/one.png }
`;

const FILES: Files = {
  'windlass.yaml': PLAN,
  'src/Note.sol': `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Note { string public text; constructor(string memory text_) { text = text_; } }
`,
  'data/rows.csv': 'id\n1\n2\n',
  'images/one.png': png(1),
};

/** Flips the lowest bit of a byte somewhere in a file, runs the work, and puts the byte back. */
async function withByteFlipped(path: string, at: number, work: () => Promise<void>): Promise<void> {
  const whole = await readFile(path);
  const edited = Buffer.from(whole);
  const index = Math.floor(at * (whole.length - 1));
  edited[index] = (edited[index] ?? 0) ^ 1;
  await writeFile(path, edited);
  await work();
  await writeFile(path, whole);
}

/** Everything that was written below a folder, the platform's own data apart. */
async function textsBelow(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\.windlass\/(platform|cache)/.test(path) && !path.endsWith('windlass.yaml'));
  return Promise.all(files.map(async (path) => [path, await readFile(path, 'latin1')] as const));
}

function expectRefused(ended: Ended, code: string, named: string): void {
  expect(ended).toMatchObject({ code: 5, stdout: '' });
  expect(ended.stderr).toContain(code);
  expect(ended.stderr).toContain(named);
}

/** Runs every form of plan, and keeps what they print. */
async function printForms({ run, write }: Story): Promise<readonly Ended[]> {
  const forms = [
    ['--format', 'markdown'],
    ['--format', 'html'],
    ['--format', 'json'],
    ['--full'],
    ['--json'],
  ];
  const printed: Ended[] = [];
  for (const form of forms) printed.push(await run('plan', ...form));
  await write({ 'printed.txt': printed.map(({ stdout }) => stdout).join('\n') });
  return printed;
}

describe('a saved change set', () => {
  it(
    'is applied once, exactly as it was reviewed, by whoever holds the same files; a crash in between costs nothing',
    async () => {
      await tellStory(FILES, CANARIES, async (story) => {
        const { folder, run, chain } = story;
        const apply = (...flags: readonly string[]) =>
          run('apply', 'out/release.json', '--yes', '--json-into', 'events.jsonl', ...flags);
        await story.write({ 'out/.keep': '' });
        const ended = [await run('plan', '--out', 'out/release.json'), ...(await printForms(story))];
        const block = await chain.getBlockNumber();
        const saved = join(folder, 'out/release.json');

        for (const at of [0, 0.001, 0.05, 0.31, 0.62, 0.998, 1]) {
          await withByteFlipped(saved, at, async () =>
            expectRefused(await apply(), 'CHANGESET_TAMPERED', 'change set'),
          );
        }
        for (const name of ['windlass.yaml', 'src/Note.sol', 'data/rows.csv', 'images/one.png']) {
          await withByteFlipped(join(folder, name), 0.5, async () =>
            expectRefused(await apply(), 'CHANGESET_STALE', `${name} was edited`),
          );
        }
        await story.write({ 'src/Second.sol': 'contract Second {}' });
        expectRefused(await apply(), 'CHANGESET_STALE', 'src/Second.sol is new');
        await rm(join(folder, 'src/Second.sol'));
        expectRefused(await apply('--env', 'production'), 'CHANGESET_OTHER_TARGET', 'production');
        expect((await apply('--target', 'tag.v1')).code).toBe(3);
        expect(await chain.getBlockNumber()).toBe(block);

        const killed = await windlassProcess(['apply', 'out/release.json', '--yes'], {
          cwd: folder,
          env: { ...CANARIES, WINDLASS_FAILPOINT: 'request.answered:3=sigkill' },
        });
        expect(killed.code).toBeNull();
        ended.push(killed, await apply());
        expect(ended.at(-1)).toMatchObject({ code: 0 });
        const nonce = await chain.getBlockNumber();
        expectRefused(await apply(), 'CHANGESET_APPLIED', 'applied');
        expect(await chain.getBlockNumber()).toBe(nonce);
        ended.push(await run('verify', '--format', 'json'), await run('status'), await run('show', saved));

        for (const { stdout, stderr } of ended) {
          for (const hidden of HIDDEN) expect(stdout + stderr).not.toContain(hidden);
        }
        const texts = await textsBelow(folder);
        for (const name of ['journal.jsonl', 'tokens']) {
          expect(texts.some(([path]) => path.includes(name))).toBe(true);
        }
        for (const [path, text] of texts) {
          for (const hidden of HIDDEN) expect(text.includes(hidden), `${hidden} in ${path}`).toBe(false);
        }
      });
    },
    STORY,
  );

  it(
    'is stale by the name of what the platform shows otherwise, and made anew is another one though it asks for the same',
    async () => {
      await tellStory(FILES, CANARIES, async (story) => {
        const { run } = story;
        expect((await run('plan', '--out', 'first.json')).code).toBe(0);
        await run('platform', 'project', 'create', 'notes');
        expectRefused(await run('apply', 'first.json', '--yes'), 'CHANGESET_STALE', 'project.notes differs');
        await story.apply();
        expectRefused(await run('apply', 'first.json', '--yes'), 'CHANGESET_APPLIED', 'applied');

        const replace = ['--replace', 'contract.core.Note'];
        for (const name of ['second.json', 'third.json']) {
          expect((await run('plan', ...replace, '--out', name)).code).toBe(0);
          const before = (await story.addresses())['contract.core.Note'];
          // Killed when the new instance was asked for: the same file goes on with it.
          const killed = await windlassProcess(['apply', name, '--yes'], {
            cwd: story.folder,
            env: { ...CANARIES, WINDLASS_FAILPOINT: 'request.answered=sigkill' },
          });
          expect(killed.code).toBeNull();
          const shown = await run('plan', '--summary');
          expect(shown.stdout).toMatch(/± contract.core.Note +the outcome of .* is not known yet/);
          await story.apply(name);
          expect((await story.addresses())['contract.core.Note']).not.toBe(before);
          expectRefused(await run('apply', name, '--yes'), 'CHANGESET_APPLIED', 'applied');
        }
        expectRefused(await run('apply', 'second.json', '--yes'), 'CHANGESET_APPLIED', 'applied');

        expect((await run('plan', '--offline', '--out', 'offline.json')).code).toBe(0);
        expectRefused(await run('apply', 'offline.json', '--yes'), 'CHANGESET_STALE', '--offline');
        expect((await run('plan', '--out', 'windlass.yaml')).code).toBe(3);
        expect(await readFile(join(story.folder, 'windlass.yaml'), 'utf8')).toBe(PLAN);
      });
    },
    STORY,
  );

  it(
    'is shown as a page with its sources and pictures as long as the files beside it are those that it was made from',
    async () => {
      await inFolder(async (folder) => {
        const run = (...args: readonly string[]) => windlass(args, { cwd: folder, env: CANARIES });
        const page = async (): Promise<string> =>
          (await run('show', 'saved/release.json', '--format', 'html')).stdout;
        await writeFiles(folder, FILES);
        await mkdir(join(folder, 'saved'));
        expect((await run('plan', '--offline', '--out', 'saved/release.json')).code).toBe(0);
        const whole = await page();
        expect(whole).toContain('contract Note');
        expect(whole).toContain('<img src="data:image/png;base64,');
        expect(whole).not.toMatch(/<script|src="(?!data:)|href="(?!#)/);
        await writeFiles(folder, { 'src/Note.sol': '// edited\n' });
        const stale = await page();
        expect(stale).toContain('src/Note.sol was edited');
        expect(stale).not.toContain('contract Note');
        expect(stale).not.toContain('<img');
        await rm(join(folder, 'windlass.yaml'));
        expect(await page()).toContain('windlass.yaml is gone');
      });
    },
    STORY,
  );

  it(
    'is marked partial in every form when flags choose what it is about',
    async () => {
      await tellStory(FILES, CANARIES, async ({ run }) => {
        for (const flags of [
          ['--target', 'tag.v1'],
          ['--exclude', 'tag.v1'],
          ['--replace', 'tag.v1'],
        ]) {
          await run('plan', ...flags, '--out', 'partial.json');
          for (const format of ['text', 'markdown', 'html']) {
            const { stdout } = await run('show', 'partial.json', '--format', format);
            expect(stdout).toMatch(/partial/i);
          }
          const json = await run('show', 'partial.json', '--format', 'json');
          expect(JSON.parse(json.stdout)).toMatchObject({ partial: true });
        }
        expect((await run('plan')).stdout).not.toMatch(/partial/i);
      });
    },
    STORY,
  );
});
