import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clientOf, type Credentials } from '../platform/client.js';
import { releasesOf } from '../platform/releases.js';
import { openHosting, type Hosting } from '../support/gitops.js';
import { inFolder } from '../cli/command.js';
import { STORY, tellStory, type Story } from '../support/story.js';
import {
  bash,
  readYaml,
  runJob,
  workflow,
  type WORKFLOWS,
  type Context,
  type GitLab,
  type GitLabJob,
  type JobEnded,
  type Step,
} from '../support/workflow.js';

const STEPS = fileURLToPath(new URL('../../examples/gitops/steps/', import.meta.url));

const NOTE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Note { string public text; constructor(string memory text_) { text = text_; } }
`;

/** One deployed version and one that is only compiled, so that somebody can change it by hand. */
function filesFor(baseUrl: string): Readonly<Record<string, string>> {
  return {
    '.gitignore': '.windlass/\nnode_modules/\nwindlass-out/\n',
    'src/Note.sol': NOTE,
    'windlass.yaml': `windlass: 1
name: gitops
environments:
  production:
    base_url: ${baseUrl}
    protected: true
    state: git
    credentials: { client_id: { env: WINDLASS_VAR_CLIENT_ID }, client_secret: { env: WINDLASS_VAR_CLIENT_SECRET } }
    callbacks: off
    capabilities: [projects, instances, receipts, lists, utils]
wallets:
  office: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
projects:
  notes:
    versions:
      1.0.0: { compiler: { solidity: 0.8.37, optimizer: { enabled: true, runs: 200 } }, sources: [src/*.sol] }
      2.0.0: { compiler: { solidity: 0.8.37, optimizer: { enabled: true, runs: 200 } }, sources: [src/*.sol] }
deployments:
  core: { version: notes@1.0.0, wallet: { type: organisation, use: office }, contracts: { Note: { params: { text_: hello } } } }
`,
  };
}

async function credentialsOf({ folder }: Pick<Story, 'folder'>): Promise<Credentials> {
  return JSON.parse(await readFile(join(folder, '.windlass/platform.json'), 'utf8')) as Credentials;
}

/** What `${{ github… }}` and `${{ secrets… }}` hold: those of the repository, and of the job's environment. */
function contextOf(
  secrets: Credentials | undefined,
  event: { readonly fork?: boolean; readonly environment?: string | undefined } = {},
): Context {
  return {
    github: {
      repository: 'campus/releases',
      server_url: 'https://git.example.com',
      run_id: '1',
      ref_name: 'main',
      token: 'gh-canary-7001',
      event: {
        pull_request: {
          number: '12',
          head: { repo: { full_name: event.fork ? 'stranger/releases' : 'campus/releases' } },
        },
      },
    },
    secrets: {
      WINDLASS_READ_CLIENT_ID: secrets?.client_id ?? '',
      WINDLASS_READ_CLIENT_SECRET: secrets?.client_secret ?? '',
      // Of the environment `production`: no other job has them.
      ...(event.environment === 'production' && {
        WINDLASS_WRITE_CLIENT_ID: secrets?.client_id ?? '',
        WINDLASS_WRITE_CLIENT_SECRET: secrets?.client_secret ?? '',
      }),
    },
  };
}

/** Runs the one job of a workflow. `with` overrides inputs of the action. */
async function run(
  hosting: Hosting,
  name: (typeof WORKFLOWS)[number],
  parts: {
    readonly branch: string;
    readonly context: (environment: string | undefined) => Context;
    readonly job?: string;
    readonly with?: Step['with'];
  },
): Promise<JobEnded> {
  const { jobs } = await workflow(name);
  const job = jobs[parts.job ?? Object.keys(jobs)[0]!]!;
  const steps = job.steps.map((step) =>
    step.uses?.startsWith('your-org/') ? { ...step, with: { ...step.with, ...parts.with } } : step,
  );
  return runJob({ ...job, steps }, hosting.runner(parts.branch), parts.context(job.environment));
}

describe('the GitHub workflows', () => {
  it(
    'plan with one comment kept up to date, apply exactly what was approved, bring the lockfile back, and watch for drift',
    async () => {
      await tellStory({}, {}, async (story) => {
        const secrets = await credentialsOf(story);
        const context = (environment: string | undefined) => contextOf(secrets, { environment });
        const hosting = await openHosting(join(story.folder, 'hosting'), filesFor(story.apiUrl));
        const logs: string[] = [];
        const told = async (...args: Parameters<typeof run>): Promise<JobEnded> => {
          const ended = await run(...args);
          logs.push(ended.log, ended.summary);
          return ended;
        };

        const others = { id: 1, user: { type: 'User' }, body: '<!-- windlass env=production -->\nnot ours' };
        await hosting.keep('comments', [
          others,
          ...Array.from({ length: 120 }, () => ({ id: 2, user: { type: 'Bot' }, body: 'x' })),
        ]);
        await hosting.push('feature', { 'README.md': 'one' });
        const planned = await told(hosting, 'plan', { branch: 'feature', context });
        expect(planned.log).toContain('^ contract.core.Note');
        expect(planned.ok).toBe(true);
        expect(planned.summary).toContain('contract.core.Note');
        expect(await hosting.kept('comments')).toHaveLength(122);
        await hosting.push('feature', { 'src/Note.sol': NOTE.replace('hello', 'hello') + '// more\n' });
        expect((await told(hosting, 'plan', { branch: 'feature', context })).ok).toBe(true);
        const comments = await hosting.kept('comments');
        expect(comments).toHaveLength(122);
        expect(comments[0]).toEqual(others);
        expect(comments.at(-1)?.body).toMatch(/^<!-- windlass env=production -->\n/);
        expect(comments.at(-1)?.body).toContain('https://git.example.com/campus/releases/actions/runs/1');

        await hosting.push('feature', { 'windlass.yaml': 'windlass: 1\nname: broken\nnonsense: 1\n' });
        const broken = await told(hosting, 'plan', { branch: 'feature', context });
        expect(broken.ok).toBe(false);
        expect(broken.log).toMatch(/^::error file=windlass\.yaml,line=3/m);
        expect(broken.summary).toMatch(/has mistakes\n\n {4}windlass\.yaml:\S+ error PLAN_/);

        const onMain = { branch: 'main', context } as const;
        const before = await told(hosting, 'apply', { ...onMain, job: 'plan' });
        expect(before.outputs).toEqual({ 'has-changes': 'true' });
        const apply = { ...onMain, job: 'apply' } as const;
        const applied = await told(hosting, 'apply', apply);
        expect(applied.log).toContain('contract.core.Note');
        expect(applied.ok).toBe(true);
        expect(applied.summary).toContain('ended with 0');
        const page = join(story.folder, 'hosting/artifacts/windlass-run/run.html');
        expect(await readFile(page, 'utf8')).toContain('contract.core.Note');
        const pulls = (await hosting.calls()).filter(
          ({ method, path }) => method === 'POST' && path.endsWith('/pulls'),
        );
        expect(pulls).toMatchObject([
          { body: { head: 'windlass/lock-windlass-production', base: 'main' }, token: true },
        ]);
        await hosting.git(
          'cd author; git fetch -q; git checkout -q main; git merge -q origin/windlass/lock-windlass-production; git push -q origin main',
        );
        expect(await hosting.git('cd author; cat windlass.production.lock.json')).toContain(
          '"contract.core.Note": "0x',
        );

        const again = await told(hosting, 'apply', apply);
        expect(again.ok).toBe(false);
        expect(again.log).toContain('CHANGESET_APPLIED');
        expect(again.summary).toMatch(/ended with 5\n\n {4}error CHANGESET_APPLIED: .*\n {4}fix: /);
        expect((await told(hosting, 'apply', { ...onMain, job: 'plan' })).outputs).toEqual({
          'has-changes': 'false',
        });

        expect((await told(hosting, 'drift', onMain)).ok).toBe(true);
        expect(await hosting.kept('issues')).toEqual([]);
        const releases = releasesOf(story.apiUrl, secrets, clientOf(story.apiUrl, secrets));
        const change = async (text: string): Promise<void> => {
          await releases.submit('/api/contract/projects/notes/versions/2-200', {
            version: '2.0.0',
            sources: { 'Note.sol': text },
          });
          await releases.settled('notes', '2-200');
        };
        await change(NOTE.replaceAll('text', 'words'));
        for (const _time of [1, 2]) {
          const drifted = await told(hosting, 'drift', onMain);
          expect(drifted.ok).toBe(false);
          expect(drifted.log).toContain('bytecode.Note');
        }
        expect(await hosting.kept('issues')).toMatchObject([{ state: 'open' }]);
        await change(NOTE);
        expect((await told(hosting, 'drift', onMain)).ok).toBe(true);
        expect(await hosting.kept('issues')).toMatchObject([{ state: 'closed' }]);

        for (const log of logs) {
          expect(log).not.toContain(secrets.client_secret);
          expect(log).not.toContain('gh-canary-7001');
        }
      });
    },
    2 * STORY,
  );

  it(
    'read a fork without credentials, without network and without a word to GitHub, whatever its plan says',
    async () => {
      await tellStory({}, {}, async ({ folder }) => {
        let asked = 0;
        const server = createServer((_request, response) => {
          asked += 1;
          response.end('{}');
        }).listen(0, '127.0.0.1');
        await once(server, 'listening');
        try {
          const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
          const hosting = await openHosting(join(folder, 'hosting'), filesFor(baseUrl));
          const plan = filesFor(baseUrl)['windlass.yaml'] ?? '';
          await hosting.push('stranger', {
            'windlass.yaml': plan
              .replace('text_: hello', 'text_: "::add-mask::x $(touch owned) `id` {{vars.a}}"')
              .replace('wallets:', 'vars: { a: "::set-output name=a::b" }\nwallets:'),
          });
          // Secrets are there by mistake, and must still be seen by nothing.
          const secrets = { client_id: 'id-canary-7002', client_secret: 'secret-canary-7003' };
          const context = () => contextOf(secrets, { fork: true });
          const { log, summary, ok } = await run(hosting, 'plan', { branch: 'stranger', context });
          expect(log).toContain('contract.core.Note');
          expect(ok).toBe(true);
          for (const hidden of ['canary']) expect(log + summary).not.toContain(hidden);
          expect(asked).toBe(0);
          expect(await hosting.calls()).toEqual([]);
          const [, inside = '', after = ''] = /^::stop-commands::(\S+)$([\s\S]*)/m.exec(log) ?? [];
          expect(after).toContain(`::${inside}::`);
          expect(log.replace(/^::stop-commands::(\S+)$[\s\S]*?^::\1::$/gm, '')).not.toMatch(/^::/m);
          expect(summary).toContain('contract.core.Note');
          const saved = join(folder, 'hosting/artifacts/windlass/change-set.json');
          const content = JSON.parse(await readFile(saved, 'utf8')) as {
            readonly content: { readonly target: unknown };
          };
          expect(content.content.target).toBeNull();
        } finally {
          server.close();
        }
      });
    },
    STORY,
  );
});

describe('the reasons in a summary', () => {
  it('stand as code, whatever others wrote, and are bounded', async () => {
    await inFolder(async (folder) => {
      const hostile = [
        '</details><script>',
        '@team #1 [x](javascript:1)',
        'a\n# title\n- b',
        '::error::x',
        '\u001b[31m',
      ];
      const events = [
        { type: 'version' },
        ...Array.from({ length: 500 }, () => ({
          type: 'step-ended',
          report: { id: 'tag.a', end: 'failed', message: hostile.join('\r\n') },
        })),
        { type: 'error', code: 'STEP_FAILED', message: hostile[0], advice: hostile[2] },
      ];
      await writeFile(join(folder, 'events'), events.map((event) => JSON.stringify(event)).join('\n'));
      const setup = join(STEPS, 'setup.sh');
      await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
      await writeFile(join(folder, 'node_modules/.bin/windlass'), '', { mode: 0o755 });
      const env = { PATH: process.env['PATH'] ?? '', OUT: folder, HOME: folder };
      const { code, log } = await bash(`. ${setup}; reasons events 'A title'`, folder, env);
      expect(code).toBe(0);
      const [title, blank, ...lines] = log.trimEnd().split('\n');
      expect([title, blank]).toEqual(['### A title', '']);
      for (const line of lines) expect(line).toMatch(/^ {4}\S/);
      expect(lines.length).toBeLessThan(50);
      expect(log).not.toContain('\u001b');
      expect(lines.at(-2)).toContain('error STEP_FAILED');
      expect((await bash(`. ${setup}; reasons missing 'T'`, folder, env)).log).toContain('The log says why');
    });
  });
});

describe('the GitLab pipeline', () => {
  it(
    'plans offline without credentials, plans and applies with them, pushes the lockfile and looks for drift',
    async () => {
      await tellStory({}, {}, async (story) => {
        const secrets = await credentialsOf(story);
        const hosting = await openHosting(join(story.folder, 'hosting'), filesFor(story.apiUrl));
        const pipeline = await readYaml<GitLab>('examples/gitops/gitlab/.gitlab-ci.yml');
        const ofProject = {
          WINDLASS_READ_CLIENT_ID: secrets.client_id,
          WINDLASS_READ_CLIENT_SECRET: secrets.client_secret,
        };
        const ofProduction = {
          WINDLASS_WRITE_CLIENT_ID: secrets.client_id,
          WINDLASS_WRITE_CLIENT_SECRET: secrets.client_secret,
          WINDLASS_PUSH_TOKEN: 'push',
        };
        const { workspace, checkout, env: own } = hosting.runner('main');
        await checkout();
        await bash(
          `git config user.name a; git config user.email a@example.com; git config url.${hosting.bare}.insteadOf https://windlass:push@git.example.com/campus/releases.git`,
          workspace,
          own,
        );
        const job = async (name: string, more: Readonly<Record<string, string>> = {}) => {
          const { script, after_script = [] } = pipeline[name] as GitLabJob;
          const env = {
            ...own,
            ...pipeline.variables,
            CI: 'true',
            GITLAB_CI: 'true',
            CI_SERVER_HOST: 'git.example.com',
            CI_PROJECT_PATH: 'campus/releases',
            CI_COMMIT_BRANCH: 'main',
            ...more,
          };
          const ended = await bash([...pipeline.default.before_script, ...script].join('\n'), workspace, env);
          const after = await bash(after_script.join('\n'), workspace, env);
          return { code: ended.code, log: ended.log + after.log };
        };

        const offline = await job('plan');
        expect(offline).toMatchObject({ code: 0 });
        expect(offline.log).toContain('Offline');
        expect(await job('plan', ofProject)).toMatchObject({ code: 0 });
        const report = await readFile(join(workspace, 'windlass-out/plan.gitlab'), 'utf8');
        expect(JSON.parse(report)).toEqual({ create: 4, update: 0, delete: 0 });
        const applied = await job('apply', { ...ofProject, ...ofProduction });
        expect(applied.log).toContain('contract.core.Note');
        expect(applied.code).toBe(0);
        expect(
          await hosting.git(`git --git-dir ${hosting.bare} show main:windlass.production.lock.json`),
        ).toContain('"contract.core.Note": "0x');
        expect(await readFile(join(workspace, 'windlass-out/run.html'), 'utf8')).toContain(
          'contract.core.Note',
        );
        const summary = () => readFile(join(workspace, 'windlass-out/summary.md'), 'utf8');
        expect(await summary()).toContain('ended with 0');
        expect(await job('apply', { ...ofProject, ...ofProduction })).toMatchObject({ code: 5 });
        expect(await summary()).toMatch(/ended with 5\n\n {4}error CHANGESET_APPLIED: /);
        expect(await job('drift', ofProject)).toMatchObject({ code: 0 });
        const away = { ...ofProject, WINDLASS_READ_CLIENT_SECRET: 'wrong' };
        expect(await job('drift', away)).toMatchObject({ code: 4 });
        expect(await summary()).toMatch(/is not known, exit code 4\n\n {4}error REMOTE_AUTHENTICATION: /);
        expect(await job('plan', away)).toMatchObject({ code: 4 });
        expect(await summary()).toMatch(
          /no change set for `production`, exit code 4\n\n {4}error REMOTE_AUTH/,
        );
        expect(applied.log).not.toContain(secrets.client_secret);
      });
    },
    STORY,
  );
});
