import { execFileSync } from 'node:child_process';
import { mkdtemp, mkdir, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planFilesIn } from '../../src/disk/sources.js';
import { digestOfBytes } from '../../src/model/canonical.js';
import type { PlanFiles } from '../../src/plan/files.js';

let outside: string;
let folder: string;
let files: PlanFiles;

beforeEach(async () => {
  outside = await realpath(await mkdtemp(join(tmpdir(), 'windlass-sources-')));
  folder = join(outside, 'plan');
  await mkdir(join(folder, 'contracts/deep/er'), { recursive: true });
  await mkdir(join(folder, 'node_modules/x'), { recursive: true });
  await mkdir(join(folder, '.git'));
  await writeFile(join(outside, 'secret.txt'), 'secret');
  for (const path of [
    'contracts/A.sol',
    'contracts/deep/B.sol',
    'contracts/deep/er/C.sol',
    'node_modules/x/N.sol',
  ]) {
    await writeFile(join(folder, path), path);
  }
  await writeFile(join(folder, '.git/G.sol'), '');
  files = planFilesIn(folder);
});

afterEach(async () => {
  await rm(outside, { recursive: true });
});

const STATUS = (reading: { readonly status: string }): string => reading.status;

describe('reading', () => {
  test('gives the bytes with their digest; digesting gives the same without the bytes', async () => {
    const bytes = Buffer.from('contracts/A.sol');
    const digest = digestOfBytes(bytes);
    expect(await files.read('contracts/A.sol', 100)).toEqual({ status: 'ok', bytes, digest, sizeBytes: 15 });
    const found = await files.digest('contracts/A.sol', 100);
    expect(found).toEqual({ status: 'ok', digest, sizeBytes: 15, head: new Uint8Array(bytes) });
  });

  test('digests large files piece by piece, many at once', async () => {
    const bytes = Buffer.alloc(700_001, 'windlass');
    await writeFile(join(folder, 'large.bin'), bytes);
    const all = await Promise.all(Array.from({ length: 40 }, () => files.digest('large.bin', 1e6)));
    expect(new Set(all.map((one) => one.status === 'ok' && one.digest))).toEqual(
      new Set([digestOfBytes(bytes)]),
    );
  });

  test.each([
    '../secret.txt',
    '/etc/passwd',
    'contracts/../../secret.txt',
    '..',
    'a\0b',
    '..\\secret.txt',
    'C:\\x',
  ])('never leaves the folder: %j', async (path) => {
    expect(STATUS(await files.read(path, 100))).toBe('outside');
    expect(STATUS(await files.digest(path, 100))).toBe('outside');
  });

  test('follows links inside the folder only', async () => {
    await symlink(join(outside, 'secret.txt'), join(folder, 'out.sol'));
    await symlink(outside, join(folder, 'up'));
    await symlink('contracts/A.sol', join(folder, 'in.sol'));
    await symlink('nowhere', join(folder, 'dangling.sol'));
    await symlink('loop.sol', join(folder, 'loop.sol'));
    expect(STATUS(await files.read('out.sol', 100))).toBe('outside');
    expect(STATUS(await files.read('up/secret.txt', 100))).toBe('outside');
    expect(STATUS(await files.read('in.sol', 100))).toBe('ok');
    expect(STATUS(await files.read('dangling.sol', 100))).toBe('missing');
    expect(STATUS(await files.read('loop.sol', 100))).toBe('not-regular');
  });

  test('takes regular files only, and never waits for a pipe', async () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
    expect(STATUS(await files.read('pipe', 100))).toBe('not-regular');
    expect(STATUS(await files.read('contracts', 100))).toBe('not-regular');
    expect(STATUS(await files.read('contracts/A.sol/x', 100))).toBe('missing');
    expect(STATUS(await files.read('none', 100))).toBe('missing');
  });

  test('knows that a file is too large before reading it', async () => {
    await writeFile(join(folder, 'huge.bin'), '');
    await truncate(join(folder, 'huge.bin'), 1e12);
    expect(await files.read('huge.bin', 1e6)).toEqual({
      status: 'too-large',
      sizeBytes: 1e12,
      maxBytes: 1e6,
    });
    expect(STATUS(await files.digest('huge.bin', 1e6))).toBe('too-large');
  });
});

describe('patterns', () => {
  test.each([
    ['contracts/**/*.sol', ['contracts/A.sol', 'contracts/deep/B.sol', 'contracts/deep/er/C.sol']],
    ['contracts/*.sol', ['contracts/A.sol']],
    ['**/B.sol', ['contracts/deep/B.sol']],
    ['contracts/{A,deep/B}.sol', ['contracts/A.sol', 'contracts/deep/B.sol']],
    ['contracts/deep/?.sol', ['contracts/deep/B.sol']],
    ['**/*.sol', ['contracts/A.sol', 'contracts/deep/B.sol', 'contracts/deep/er/C.sol']],
    ['node_modules/**/*.sol', ['node_modules/x/N.sol']],
    ['nowhere/*.sol', []],
    ['../**', []],
    ['contracts/[A].sol', []],
  ])('%s', async (pattern, expected) => {
    expect(await files.glob(pattern)).toEqual({ status: 'ok', paths: expected });
  });

  test('name links that leave the folder, so that reading them can refuse', async () => {
    await symlink(join(outside, 'secret.txt'), join(folder, 'contracts/Out.sol'));
    await symlink(outside, join(folder, 'contracts/up'));
    expect(await files.glob('contracts/**')).toEqual({
      status: 'ok',
      paths: ['contracts/A.sol', 'contracts/Out.sol', 'contracts/deep/B.sol', 'contracts/deep/er/C.sol'],
    });
  });
});

describe('a walk', () => {
  test('does not follow links to folders, so that none goes round', async () => {
    await symlink('..', join(folder, 'contracts/deep/up'));
    expect(await files.glob('**/*.sol')).toMatchObject({ status: 'ok' });
    expect(await files.glob('contracts/**/up/**')).toEqual({ status: 'ok', paths: [] });
  });

  test('looks at nothing of Git or Windlass, even when a pattern names it', async () => {
    await mkdir(join(folder, '.windlass/env'), { recursive: true });
    await writeFile(join(folder, '.windlass/env/W.sol'), '');
    for (const pattern of ['.git/*.sol', '**/.git/**', '.windlass/**', '**/W.sol', '.GIT/*']) {
      expect(await files.glob(pattern), pattern).toEqual({ status: 'ok', paths: [] });
    }
    for (const path of ['.git/G.sol', '.windlass/env/W.sol', 'contracts/../.git/G.sol']) {
      expect((await files.read(path, 100)).status, path).not.toBe('ok');
    }
    await symlink('.git/G.sol', join(folder, 'G.sol'));
    expect(await files.read('G.sol', 100)).toEqual({ status: 'private' });
  });
});
