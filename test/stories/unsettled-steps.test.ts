import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { MAIN } from '../cli/command.js';
import { STORY, tellStory, type Story } from '../support/story.js';

/** The interface alone: nothing lists labels or contracts, and nothing calls back. */
const planFor = (apiUrl: string, callbacks: string): string => `windlass: 1
name: lost
environments:
  test:
    base_url: ${apiUrl}
    credentials: { client_id: { env: WINDLASS_VAR_ID }, client_secret: { env: WINDLASS_VAR_SECRET } }
    callbacks: ${callbacks}
wallets: { office: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' } }
audit:
  categories: [release]
`;

const CONTRACTS = `  contracts: { log: {} }
`;

async function credentialsOf({ folder }: Story): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(folder, '.windlass/platform.json'), 'utf8');
  const { client_id: id = '', client_secret: secret = '' } = JSON.parse(text) as Record<string, string>;
  return { WINDLASS_VAR_ID: id, WINDLASS_VAR_SECRET: secret };
}

describe('an answer that was lost', () => {
  it(
    'where nothing can ever be read ends undecided at once, and no command calls that well',
    async () => {
      const env: Record<string, string> = {};
      await tellStory({}, env, async (story) => {
        Object.assign(env, await credentialsOf(story));
        const { run } = story;
        await story.write({ 'windlass.yaml': planFor(story.apiUrl, 'off') });
        await run(
          'platform',
          'fault',
          'add',
          '--fault',
          'drop_after_commit',
          '--operation',
          'audit.category.create',
          '--nth',
          '1',
        );
        const where = ['--env', 'test'];
        // Without the rule this takes three quarters of an hour.
        const applied = await run('apply', ...where, '--yes');
        expect(applied).toMatchObject({ code: 8 });
        expect(applied.stderr).toContain('nothing here can show its outcome');
        expect(applied.stderr).toContain("windlass resolve 'category.release#1'");
        await run('platform', 'fault', 'clear');

        expect(await run('status', ...where)).toMatchObject({ code: 8 });
        const verified = await run('verify', ...where);
        expect(verified).toMatchObject({ code: 8 });
        expect(verified.stdout).toContain('of 1 step the outcome is not known');
        expect(verified.stderr).toContain('STEP_UNDECIDED');
        const json = JSON.parse((await run('verify', ...where, '--format', 'json')).stdout) as JsonObject;
        expect(json).toMatchObject({ doubts: [{ step: 'category.release#1', state: 'undecided' }] });
        for (const format of ['text', 'markdown', 'html', 'json'])
          expect((await run('plan', ...where, '--format', format)).stdout).toMatch(
            /category\.release(#|&#35;&#8203;)1/,
          );
        expect((await run('outputs', ...where, '--format', 'json')).stderr).toContain('category.release#1');
        const attested = await run('attest', ...where);
        expect(attested).toMatchObject({ code: 5 });
        expect(attested.stderr).toContain('ATTESTATION_UNFINISHED');
        // It looks once more, and is not sent again.
        expect(await run('apply', ...where, '--yes')).toMatchObject({ code: 8 });
        expect(((await story.get('/api/audit/category')) as readonly unknown[]).length).toBe(1);
      });
    },
    STORY,
  );

  it(
    'where a callback may come is waited for aloud: which step, why, on what evidence and until when',
    async () => {
      const env: Record<string, string> = {};
      await tellStory({}, env, async (story) => {
        Object.assign(env, await credentialsOf(story));
        const { folder, run, apiUrl } = story;
        const plan = planFor(apiUrl, '{ url: "http://127.0.0.1:9" }') + CONTRACTS;
        await story.write({ 'windlass.yaml': plan });
        const rules = ['request', 'callback'].map(
          (what) =>
            `  - ${what}: { ${what === 'request' ? 'operation: audit.contract.create' : 'of: audit-contract'} }\n    fault: ${what === 'request' ? 'drop_after_commit' : 'lost'}\n`,
        );
        await story.write({ 'rules.yaml': `windlass_faults: 1\nrules:\n${rules.join('')}` });
        expect(await run('platform', 'fault', 'add', 'rules.yaml')).toMatchObject({ code: 0 });
        const child = spawn(
          process.execPath,
          [MAIN, 'apply', '--env', 'test', '--yes', '--json-into', 'events.jsonl'],
          { cwd: folder, env: { ...process.env, ...env, CI: '' }, stdio: ['ignore', 'ignore', 'pipe'] },
        );
        let stderr = '';
        child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
        const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
        await expect
          .poll(() => stderr, { timeout: STORY / 2, interval: 500 })
          .toMatch(
            /waits for audit-contract\.log#1 \(.*\): its answer was lost or unclear; proof by callback; given up at/,
          );
        const events = (await readFile(join(folder, 'events.jsonl'), 'utf8'))
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as JsonObject);
        const beat = events.find(({ type }) => type === 'heartbeat');
        expect(beat).toMatchObject({
          waiting: [{ step: 'audit-contract.log#1', answer: 'ambiguous', evidence: ['callback'] }],
        });
        child.kill('SIGINT');
        expect(await ended).toBe(130);
      });
    },
    STORY,
  );
});
