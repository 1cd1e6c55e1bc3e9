import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { png, STORY, tellStory, type Files, type Story } from '../support/story.js';

const OFFICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

const FILES: Files = {
  'windlass.yaml': `windlass: 1
name: damaged
wallets: { office: { address: '${OFFICE}' } }
audit: { tags: [one, two], contracts: { log: {} } }
certificates:
  contracts: { diplomas: { deployer: office, owner: office, name: D, symbol: D, max_supply: 0 } }
  batches: { class: { contract: diplomas, rows: rows.csv, key: id, to: '{{wallet}}', name: 'No {{id}}', description: '-', image: one.png } }
`,
  'one.png': png(9),
  'rows.csv': `id,wallet\n1,${OFFICE}\n2,${OFFICE}\n3,${OFFICE}\n`,
};

const LOCK = 'windlass.local.lock.json';
const ROWS = 'windlass.local.lock/class.ndjson';

type Damage = readonly [what: string, file: string, edit: (text: string) => string | undefined];

function lineOf(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split('\n').length;
}

/** Damage that shows without the journal, and the place that is named. */
const SEEN: readonly (readonly [...Damage, place: (text: string) => string])[] = [
  [
    'cut short',
    LOCK,
    (text) => text.slice(0, text.length / 2),
    (text) =>
      `${LOCK}:${
        text
          .slice(0, text.length / 2)
          .trimEnd()
          .split('\n').length
      }`,
  ],
  [
    'half merged',
    LOCK,
    (text) => text.replace('  "lineage"', '<<<<<<< HEAD\n  "lineage"'),
    (text) => `${LOCK}:${lineOf(text, '  "lineage"')}`,
  ],
  [
    'a name twice',
    LOCK,
    (text) => text.replace('  "lineage"', '  "lineage": "x",\n  "lineage"'),
    (text) => `${LOCK}:${lineOf(text, '  "lineage"') + 1}`,
  ],
  [
    'not JSON',
    LOCK,
    (text) => text.replace('"tag.one": {', '"tag.one" {'),
    (text) => `${LOCK}:${lineOf(text, '"tag.one": {')}`,
  ],
  [
    'another address',
    LOCK,
    (text) => text.replace(/0x[0-9a-fA-F]{40}/, `0x${'1'.repeat(40)}`),
    () => `${LOCK}:3`,
  ],
  [
    'other inputs',
    LOCK,
    (text) => text.replace('"name": "two"', '"name": "three"'),
    (text) => `${LOCK}:${lineOf(text, '"tag.two": {')}`,
  ],
  ['a batch without its file', ROWS, () => undefined, () => ROWS],
  ['a row that is damaged', ROWS, (text) => text.replace(/\n\{/, '\n'), () => `${ROWS}:2`],
  ['a row that is gone', ROWS, (text) => text.replace(/\n.*\n/, '\n'), () => ROWS],
  ['a row that was changed', ROWS, (text) => text.replace('No 2', 'No 7'), () => `${ROWS}:2`],
];

async function damage({ folder }: Story, file: string, edit: Damage[2]): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8');
  const edited = edit(text);
  expect(edited).not.toBe(text);
  if (edited === undefined) await rm(join(folder, file));
  else await writeFile(join(folder, file), edited);
}

test(
  'a damaged lockfile is named with its line, and written anew from the journal',
  async () => {
    await tellStory(FILES, {}, async (story) => {
      const { folder, run } = story;
      await story.apply();
      const whole = { [LOCK]: '', [ROWS]: '' };
      for (const file of [LOCK, ROWS] as const) whole[file] = await readFile(join(folder, file), 'utf8');
      const restore = async () => {
        for (const [file, text] of Object.entries(whole)) await writeFile(join(folder, file), text);
      };
      const journal = join(folder, '.windlass/env/local');

      for (const [what, file, edit, place] of SEEN) {
        const expected = place(whole[file as keyof typeof whole]);
        await damage(story, file, edit);
        const told = await run('status', '--format', 'json');
        // Where the main file can be read, the journal counts, and says where it differs.
        if (told.code === 5) {
          const { error } = JSON.parse(told.stdout) as { error: Record<string, string> };
          expect([what, error['code'], error['message']]).toEqual([
            what,
            'LOCK_UNREADABLE',
            expect.stringContaining(`${expected}: `),
          ]);
          expect(error['advice']).toContain('windlass lock rebuild');
        } else
          expect([what, told.stderr]).toEqual([
            what,
            expect.stringMatching(new RegExp(`${ROWS}(:\\d+)? was edited`)),
          ]);

        await rename(journal, `${journal}-away`);
        const alone = await run('status');
        expect([what, alone.code]).toEqual([what, 5]);
        expect(alone.stderr).toContain(`LOCK_UNREADABLE: ${expected}: `);
        const without = await run('lock', 'rebuild', '--format', 'json');
        expect([without.code, without.stdout]).toEqual([5, expect.stringContaining('LOCK_NO_JOURNAL')]);
        await rm(journal, { recursive: true, force: true });
        await rename(`${journal}-away`, journal);

        expect((await run('lock', 'rebuild')).code).toBe(0);
        for (const [name, text] of Object.entries(whole))
          expect(await readFile(join(folder, name), 'utf8'), what).toBe(text);
        expect(await run('status')).toMatchObject({ code: 0, stderr: '' });
      }

      await damage(story, LOCK, (text) => text.replace('"tag.two": {', '"tag.three": {},\n    "tag.two": {'));
      expect(await run('lock', 'rebuild')).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(/LOCK_HOLDS_MORE.*tag\.three/) as string,
      });
      const forgot = await run('lock', 'rebuild', '--forget', '--format', 'json');
      expect(JSON.parse(forgot.stdout)).toMatchObject({
        resources: 7,
        before: expect.stringContaining('.windlass') as string,
      });
      expect(await readFile(join(folder, LOCK), 'utf8')).toBe(whole[LOCK]);
      await restore();
      expect((await run('plan')).stdout).toContain('Nothing to do: 7 resources unchanged.');
    });
  },
  STORY,
);
