import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { inFolder, windlass, type Ended } from '../cli/command.js';
import { STORY, tellStory, writeFiles, type Story } from '../support/story.js';

const [ALICE, BOB] = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
] as const;

const NOTE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Note { string public text; constructor(string memory text_) { text = text_; } }
contract Bare {}
`;

/** A person's plan for the version that both release, in the one organisation that both work in. */
function planOf(
  person: { readonly wallet: string; readonly text: string; readonly contracts?: string },
  apiUrl: string,
  more = '',
): string {
  return `windlass: 1
name: shared
environments:
  test:
    base_url: ${apiUrl}
    credentials: { client_id: { env: WINDLASS_VAR_ID }, client_secret: { env: WINDLASS_VAR_SECRET } }
    callbacks: off
    capabilities: [projects, instances, receipts, lists, utils]
${more}wallets: { office: { address: '${person.wallet}' } }
projects: { notes: { versions: { 1.0.0: { compiler: { solidity: 0.8.37 }, sources: [Note.sol] } } } }
deployments:
  core:
    version: notes@1.0.0
    wallet: { type: organisation, use: office }
    contracts: ${person.contracts ?? `{ Note: { params: { text_: "${person.text}" } } }`}
`;
}

async function credentialsOf({ folder }: Story): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(folder, '.windlass/platform.json'), 'utf8');
  const { client_id: id = '', client_secret: secret = '' } = JSON.parse(text) as Record<string, string>;
  return { WINDLASS_VAR_ID: id, WINDLASS_VAR_SECRET: secret };
}

type Run = (...args: readonly string[]) => Promise<Ended>;

/** Two folders of two people with one platform and one organisation. */
async function withTwoPeople(
  plans: (apiUrl: string) => { readonly first: string; readonly second: string },
  tell: (first: Run, second: Run, story: Story) => Promise<void>,
): Promise<void> {
  await tellStory({}, {}, async (story) => {
    const env = await credentialsOf(story);
    await inFolder(async (one) => {
      await inFolder(async (two) => {
        const { first, second } = plans(story.apiUrl);
        await writeFiles(one, { 'windlass.yaml': first, 'Note.sol': NOTE });
        await writeFiles(two, { 'windlass.yaml': second, 'Note.sol': NOTE });
        const as =
          (cwd: string): Run =>
          (...args) =>
            windlass([...args, '--env', 'test'], { cwd, env });
        await tell(as(one), as(two), story);
      });
    });
  });
}

async function expectGood(run: Run): Promise<string> {
  const applied = await run('apply', '--yes');
  expect(applied).toMatchObject({ code: 0 });
  expect(await run('verify')).toMatchObject({ code: 0 });
  expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  expect(await run('status')).toMatchObject({ code: 0 });
  return applied.stderr;
}

describe('two people who deploy the same version', () => {
  it(
    'from wallets of their own, or with parameters of their own, each end with 0, and are told of each other',
    async () => {
      const cases = [
        [{ wallet: BOB, text: 'one' }, 'from another wallet'],
        [{ wallet: ALICE, text: 'two' }, 'with other parameters'],
      ] as const;
      for (const [other, difference] of cases) {
        await withTwoPeople(
          (apiUrl) => ({
            first: planOf({ wallet: ALICE, text: 'one' }, apiUrl, `    rpc_url: ${apiUrl}/rpc\n`),
            second: planOf(other, apiUrl),
          }),
          async (first, second) => {
            await expectGood(first);
            await expectGood(second);
            const told = await expectGood(first);
            expect(told).toContain('somebody else deployed this');
            expect(told).toContain(difference);
            const { others, repeats, doubts } = JSON.parse(
              (await first('verify', '--format', 'json')).stdout,
            ) as JsonObject;
            expect({ repeats, doubts }).toEqual({ repeats: [], doubts: [] });
            expect(others).toMatchObject([{ what: 'contract Note', step: 'contract.core.Note#1' }]);
            expect(await expectGood(second)).not.toContain('twice');
          },
        );
      }
    },
    2 * STORY,
  );

  it(
    'with one wallet and the same parameters cannot be told apart: that is said once, and a person ends it',
    async () => {
      const same = { wallet: ALICE, text: '', contracts: '{ Bare: {} }' };
      await withTwoPeople(
        (apiUrl) => ({ first: planOf(same, apiUrl), second: planOf(same, apiUrl) }),
        async (first, second) => {
          await expectGood(first);
          await expectGood(second);
          const verified = await first('verify');
          expect(verified).toMatchObject({ code: 8 });
          const applied = await first('apply', '--yes');
          expect(applied).toMatchObject({ code: 8 });
          expect(applied.stderr).toContain('--keep');
          expect(await first('plan')).toMatchObject({ code: 8 });
          const step = 'contract.core.Bare#1';
          const keep = ['resolve', step, '--keep', '--statement', 'the other one is of a colleague'];
          expect(await first(...keep)).toMatchObject({ code: 0 });
          await expectGood(first);
          await expectGood(first);
        },
      );
    },
    STORY,
  );

  it(
    'from two plans of one folder explain each other, whatever they deploy',
    async () => {
      const same = { wallet: ALICE, text: '', contracts: '{ Bare: {} }' };
      await tellStory({ 'Note.sol': NOTE }, {}, async (story) => {
        const env = await credentialsOf(story);
        const plan = planOf(same, story.apiUrl);
        await story.write({ 'windlass.yaml': plan, 'other.yaml': plan });
        const run: Run = (...args) => windlass([...args, '--env', 'test'], { cwd: story.folder, env });
        expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
        expect(await run('apply', 'other.yaml', '--yes')).toMatchObject({ code: 0 });
        await expectGood(run);
      });
    },
    STORY,
  );
});
