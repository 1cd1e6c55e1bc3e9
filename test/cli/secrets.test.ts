import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { permissionsAt } from '../../src/cli/plan-file.js';
import { secretReader, type SecretReader } from '../../src/cli/secrets.js';

let base: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'windlass-secrets-')));
  for (const folder of ['plan/secrets', 'plan/.git', 'plan/.windlass/env', 'vault/..data']) {
    await mkdir(join(base, folder), { recursive: true });
  }
  for (const [path, text] of [
    ['plan/secrets/id', 'of the plan\r\n'],
    ['plan/both', 'of the plan'],
    ['plan/.git/config', 'token'],
    ['plan/.windlass/env/tokens', 'token'],
    ['vault/..data/id', 'of the operator\n'],
    ['vault/both', 'of the operator'],
    ['outside', 'of somebody'],
  ] as const) {
    await writeFile(join(base, path), text);
  }
  await symlink('..data/id', join(base, 'vault/id'));
  await symlink('../outside', join(base, 'vault/leaving'));
  await symlink('../outside', join(base, 'plan/leaving'));
  await symlink('.git/config', join(base, 'plan/innocent'));
});

afterEach(async () => {
  await chmod(base, 0o700);
  await rm(base, { recursive: true });
});

function reader(env: Readonly<Record<string, string>> = {}): SecretReader {
  return secretReader({ folder: join(base, 'plan'), permissions: permissionsAt(base, env) }, env);
}

async function codeOf(reading: Promise<string>): Promise<string> {
  return reading.catch((thrown: { readonly code: string }) => thrown.code);
}

test('a secret is read from a variable that is meant for plans, and from no other, whoever asks', async () => {
  const read = reader({
    WINDLASS_VAR_A: 'a',
    AWS_SECRET: 's',
    WINDLASS_PLATFORM_KEK: 'k',
    WINDLASS_ALLOW_ENV: 'B',
    B: 'b',
  });
  expect(await read({ env: 'WINDLASS_VAR_A' })).toBe('a');
  expect(await read({ env: 'B' })).toBe('b');
  expect(await codeOf(read({ env: 'AWS_SECRET' }))).toBe('PLAN_VARIABLE_FORBIDDEN');
  expect(await codeOf(read({ env: 'WINDLASS_PLATFORM_KEK' }))).toBe('PLAN_VARIABLE_FORBIDDEN');
  expect(await codeOf(read({ env: 'WINDLASS_VAR_UNSET' }))).toBe('SECRET_MISSING');
  const prototype = reader({ WINDLASS_ALLOW_ENV: 'constructor' });
  expect(await codeOf(prototype({ env: 'constructor' }))).toBe('SECRET_MISSING');
});

test('a file of a secret lies beside the plan, or in WINDLASS_SECRETS_DIR, which goes first', async () => {
  expect(await reader()({ file: 'secrets/id' })).toBe('of the plan');
  expect(await reader()({ file: 'both' })).toBe('of the plan');
  const read = reader({ WINDLASS_SECRETS_DIR: 'vault' });
  expect(await read({ file: 'both' })).toBe('of the operator');
  expect(await read({ file: 'id' })).toBe('of the operator');
  expect(await read({ file: join(base, 'vault/id') })).toBe('of the operator');
  expect(await read({ file: 'secrets/id' })).toBe('of the plan');
});

test.each([
  '../outside',
  'leaving',
  'innocent',
  '.git/config',
  '.windlass/env/tokens',
  '.GIT/config',
  'secrets',
  '/etc/hostname',
])('no secret is read from %s', async (file) => {
  const read = reader({ WINDLASS_SECRETS_DIR: 'vault' });
  expect(await codeOf(read({ file }))).toBe('PLAN_FILE_OUTSIDE');
});

test('a path that only begins like WINDLASS_SECRETS_DIR is not in it', async () => {
  await writeFile(join(base, 'vault2'), 'x');
  const read = reader({ WINDLASS_SECRETS_DIR: 'vault' });
  for (const file of [join(base, 'vault2'), join(base, 'vault/../outside'), join(base, 'vault')]) {
    expect(await codeOf(read({ file })), file).toBe('PLAN_FILE_OUTSIDE');
  }
});
