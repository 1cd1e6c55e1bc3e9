import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EnvironmentDifference } from '../../src/diff/environments.js';
import { windlass, type Ended } from '../cli/command.js';
import type { Credentials } from '../platform/client.js';
import { STORY, tellStory, type Story } from '../support/story.js';

const planFor = (test: string, production: string): string => `windlass: 1
name: promoted
environments:
  test:
    base_url: ${test}
    credentials: { client_id: { env: WINDLASS_VAR_TEST_ID }, client_secret: { env: WINDLASS_VAR_TEST_SECRET } }
    callbacks: off
    capabilities: [projects, instances, receipts, lists, utils]
  production:
    base_url: ${production}
    protected: true
    credentials: { client_id: { env: WINDLASS_VAR_PROD_ID }, client_secret: { env: WINDLASS_VAR_PROD_SECRET } }
    callbacks: off
    capabilities: [projects, instances, receipts, lists, utils]
    vars: { greeting: from production }
vars: { greeting: from test }
wallets:
  office: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
projects:
  notes: { versions: { 1.0.0: { compiler: { solidity: 0.8.37 }, sources: [Note.sol] } } }
deployments:
  core:
    version: notes@1.0.0
    wallet: { type: organisation, use: office }
    contracts:
      First: { contract: Note, params: { text_: "{{vars.greeting}}" } }
      Second: { contract: Note, params: { text_: after <First_ADDRESS> } }
`;

const NOTE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Note { string public text; constructor(string memory text_) { text = text_; } }
`;

async function credentialsOf({ folder }: Story): Promise<Credentials> {
  return JSON.parse(await readFile(join(folder, '.windlass/platform.json'), 'utf8')) as Credentials;
}

function expectRefused(ended: Ended, exit: number, code: string): void {
  expect(ended.stderr).toContain(code);
  expect(ended.code).toBe(exit);
}

/** Two platforms, and a folder with a plan for both. */
async function inTwoWorlds(
  tell: (parts: {
    readonly folder: string;
    readonly run: (...args: readonly string[]) => Promise<Ended>;
    readonly as: (env: Readonly<Record<string, string>>, ...args: readonly string[]) => Promise<Ended>;
    readonly test: Credentials;
    readonly production: Story;
  }) => Promise<void>,
): Promise<void> {
  await tellStory({ 'Note.sol': NOTE }, {}, async (one) => {
    await tellStory({}, {}, async (production) => {
      await one.write({ 'windlass.yaml': planFor(one.apiUrl, production.apiUrl) });
      const [test, live] = [await credentialsOf(one), await credentialsOf(production)];
      const env = {
        WINDLASS_VAR_TEST_ID: test.client_id,
        WINDLASS_VAR_TEST_SECRET: test.client_secret,
        WINDLASS_VAR_PROD_ID: live.client_id,
        WINDLASS_VAR_PROD_SECRET: live.client_secret,
      };
      const { folder } = one;
      const as = (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
        windlass(args, { cwd: folder, env: { ...env, ...more } });
      await tell({ folder, run: (...args) => as({}, ...args), as, test, production });
    });
  });
}

describe('a plan for two environments', () => {
  it(
    'is promoted from one to the other, and what differs in result is shown, addresses apart',
    async () => {
      await inTwoWorlds(async ({ folder, run }) => {
        const production = ['--env', 'production'];
        expect(await run('apply', '--env', 'test', '--yes')).toMatchObject({ code: 0 });
        const ahead = await run('diff-env', 'test', 'production', '--detailed-exitcode');
        expect(ahead.code).toBe(2);
        expect(ahead.stdout).toMatch(/Only in test[\s\S]*contract\.core\.First/);
        expect(ahead.stdout).toMatch(/not released to production yet[\s\S]*contract\.core\.First/);

        expect((await run('plan', ...production, '--out', 'live.json')).code).toBe(0);
        expectRefused(await run('apply', 'live.json', '--yes'), 3, 'CLI_CONFIRMATION_MISSING');
        expectRefused(await run('apply', 'live.json', '--confirm', 'test'), 3, 'CLI_DECLINED');
        expect(await run('apply', 'live.json', '--confirm', 'production')).toMatchObject({ code: 0 });

        const json = await run('diff-env', 'test', 'production', '--format', 'json');
        const { alike, difference } = JSON.parse(json.stdout) as {
          readonly alike: boolean;
          readonly difference: EnvironmentDifference;
        };
        expect(alike).toBe(false);
        expect(difference).toMatchObject({
          onlyIn: { first: [], second: [] },
          unreleased: { first: [], second: [] },
          differing: [
            {
              id: 'contract.core.First',
              fields: [{ path: 'params.text_', before: 'from test', after: 'from production' }],
            },
          ],
        });
        expect(difference.alike).toContain('contract.core.Second');
        expect(difference.alike).toContain('version.notes@1.0.0');
        for (const format of ['text', 'markdown']) {
          const { stdout } = await run('diff-env', 'test', 'production', '--format', format);
          expect(stdout.replaceAll(/\\/g, '')).toContain('from production');
        }

        const source = join(folder, 'Note.sol');
        const plan = await readFile(join(folder, 'windlass.yaml'), 'utf8');
        await writeFile(source, `${NOTE}// later\n`);
        await writeFile(join(folder, 'windlass.yaml'), plan.replaceAll(/1\.0\.0/g, '1.1.0'));
        await run('apply', '--env', 'test', '--yes');
        const newer = await run('diff-env', 'test', 'production');
        expect(newer.stdout).toMatch(/Only in test\n\s+version\.notes@1\.1\.0/);
        expect(newer.stdout).toMatch(/contract\.core\.Second {2}version/);
        expect((await run('diff-env', 'test', 'nowhere')).code).toBe(3);
      });
    },
    2 * STORY,
  );

  it(
    'never goes to production with credentials, lock or change set of the other one',
    async () => {
      await inTwoWorlds(async ({ folder, run, as, test, production }) => {
        const block = await production.chain.getBlockNumber();
        expect((await run('plan', '--env', 'test', '--out', 'test.json')).code).toBe(0);
        expectRefused(await run('apply', 'test.json', '--env', 'production'), 5, 'CHANGESET_OTHER_TARGET');
        expect((await run('plan', '--env', 'production', '--out', 'live.json')).code).toBe(0);
        const key = JSON.parse(
          (
            await production.run(
              'platform',
              'key',
              'create',
              'other',
              '--organisation',
              'elsewhere',
              '--format',
              'json',
            )
          ).stdout,
        ) as Credentials;
        const other = { WINDLASS_VAR_PROD_ID: key.client_id, WINDLASS_VAR_PROD_SECRET: key.client_secret };
        const confirm = ['--confirm', 'production'];
        expectRefused(await as(other, 'apply', 'live.json', ...confirm), 5, 'CHANGESET_OTHER_TARGET');

        const swapped = {
          WINDLASS_VAR_PROD_ID: test.client_id,
          WINDLASS_VAR_PROD_SECRET: test.client_secret,
        };
        const apply = ['apply', '--env', 'production', ...confirm];
        expectRefused(await as(swapped, ...apply), 5, 'TARGET_OTHER_ENVIRONMENT');
        expect((await run('apply', 'test.json', '--yes')).code).toBe(0);
        const known = { ...swapped, WINDLASS_VAR_TEST_ID: '', WINDLASS_VAR_TEST_SECRET: '' };
        expectRefused(await as(known, ...apply), 5, 'TARGET_OTHER_ENVIRONMENT');
        expectRefused(await as(known, 'plan', '--env', 'production'), 5, 'TARGET_OTHER_ENVIRONMENT');

        const lock = join(folder, 'windlass.production.lock.json');
        await copyFile(join(folder, 'windlass.test.lock.json'), lock);
        expectRefused(await run(...apply), 5, 'LOCK_OTHER_TARGET');
        await rm(lock);
        expect(await production.chain.getBlockNumber()).toBe(block);
        expect(await run(...apply)).toMatchObject({ code: 0 });
      });
    },
    2 * STORY,
  );
});
