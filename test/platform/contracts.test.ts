import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = 'bench/contracts.mjs';
const SOURCES = 'src/platform/contracts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'contracts-'));
  await cp(SOURCES, folder, { recursive: true });
});

afterEach(() => rm(folder, { recursive: true }));

async function check(): Promise<string> {
  const run = promisify(execFile);
  return run(process.execPath, [SCRIPT, '--check', folder]).then(
    () => 'equal',
    (error: { stderr: string }) => error.stderr,
  );
}

describe('the artifacts of the platform’s own contracts', () => {
  it(
    'are byte for byte what the installed compiler makes of the sources beside them',
    { timeout: 60_000 },
    async () => {
      expect(await check()).toBe('equal');
    },
  );

  it('do not survive a change of their source', { timeout: 60_000 }, async () => {
    const path = join(folder, 'Certificate.sol');
    const source = await readFile(path, 'utf8');
    await writeFile(path, source.replace('totalSupply < maxSupply', 'totalSupply <= maxSupply'));
    expect(await check()).toContain('certificate.artifact.ts');
  });

  it('stay the same when only a comment changes', { timeout: 60_000 }, async () => {
    const path = join(folder, 'AuditTrail.sol');
    await writeFile(path, `${await readFile(path, 'utf8')}\n// one more line\n`);
    expect(await check()).toBe('equal');
  });
});
