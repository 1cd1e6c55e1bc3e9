import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../cli/detached.js';
import { STORY, tellStory, type Story } from '../support/story.js';

const VARIABLES = { WINDLASS_VAR_ID: '', WINDLASS_VAR_SECRET: '' };

async function planFor({ folder }: Story, baseUrl: string, rpcUrl?: string): Promise<void> {
  const credentials = {
    client_id: { env: 'WINDLASS_VAR_ID' },
    client_secret: { env: 'WINDLASS_VAR_SECRET' },
  };
  const test = {
    base_url: baseUrl,
    credentials,
    callbacks: 'off',
    capabilities: ['projects'],
    ...(rpcUrl !== undefined && { rpc_url: rpcUrl }),
  };
  const source = { compiler: { solidity: '0.8.37' }, sources: ['Base.sol'] };
  const plan = {
    windlass: 1,
    name: 'address',
    environments: { test },
    projects: { core: { versions: { '1.0.0': source } } },
  };
  await writeFile(join(folder, 'windlass.yaml'), JSON.stringify(plan));
}

const FILES = { 'Base.sol': '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract Base {}\n' };

interface Failed {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly advice: string;
    readonly exit: number;
  };
}

test(
  'a wrong address is told as one, and nothing is planned, sent or missed there',
  async () => {
    const env: Record<string, string> = { ...VARIABLES };
    await tellStory(FILES, env, async (story) => {
      const { run, apiUrl } = story;
      const key = JSON.parse(
        (await run('platform', 'key', 'create', 'test', '--format', 'json')).stdout,
      ) as Record<string, string>;
      env['WINDLASS_VAR_ID'] = key['client_id'] ?? '';
      env['WINDLASS_VAR_SECRET'] = key['client_secret'] ?? '';
      const failed = async (...args: readonly string[]): Promise<Failed['error']> => {
        const { code, stdout } = await run(...args, '--env', 'test', '--format', 'json');
        const { error } = JSON.parse(stdout) as Failed;
        expect(error.exit).toBe(code);
        return error;
      };

      await planFor(story, `${apiUrl}/wrong`);
      const wrong = await failed('plan');
      expect([wrong.code, wrong.exit]).toEqual(['REMOTE_NOT_SERVICE', 3]);
      expect(wrong.message).toContain(`${apiUrl}/wrong is not the service: it answers GET /api/audit`);
      expect(wrong.advice).toContain('base_url');
      const applied = await run('apply', '--env', 'test', '--yes');
      expect([applied.code, applied.stderr]).toEqual([3, expect.stringContaining('REMOTE_NOT_SERVICE')]);
      const { stdout } = await run('doctor', '--env', 'test', '--format', 'json');
      expect(stdout).toMatch(/is not the service/);

      await planFor(story, apiUrl);
      const right = await run('plan', '--env', 'test', '--format', 'json');
      expect(right.code).toBe(0);
      const other = await run('doctor', '--env', 'test', '--format', 'json');
      expect(other.stdout).toMatch(/answers as the service does/);

      await planFor(story, `http://127.0.0.1:${await freePort()}`);
      expect(await failed('plan')).toMatchObject({
        code: 'REMOTE_UNREACHABLE',
        message: expect.stringContaining('nothing listens') as string,
      });
      await planFor(story, apiUrl, `http://127.0.0.1:${await freePort()}`);
      expect(await failed('plan')).toMatchObject({
        code: 'REMOTE_UNREACHABLE',
        message: expect.stringContaining('The RPC node') as string,
      });
    });
  },
  STORY,
);
