import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/platform/compiler/compile.js';
import { CompilerThreads, type ThreadCaps } from '../../src/platform/compiler/threads.js';

const SMALL = 'pragma solidity ^0.8.0; contract Small { uint256 public kind = 7; }';

/** Much to compile, from little text: hundreds of functions, each with code of its own. */
const LARGE = `pragma solidity ^0.8.0; contract Large { uint256 s; ${Array.from(
  { length: 500 },
  (_, n) =>
    `function f${String(n)}(uint256 a) public { for (uint i; i < a; i++) { s += a * ${String(n)} + i; } }`,
).join(' ')} }`;

async function compiled(content: string, caps: ThreadCaps): Promise<{ readonly ok: boolean }> {
  const threads = new CompilerThreads(1, caps);
  const cacheDir = await mkdtemp(join(tmpdir(), 'compiled-'));
  const job = {
    compiler: '0.8.37',
    optimizer: { enabled: true, runs: 200 },
    sources: [{ filename: 'C.sol', content }],
    packages: [],
  };
  try {
    return await compile(job, threads, { cacheDir, today: '2026-01-01' });
  } finally {
    await threads.close();
    await rm(cacheDir, { recursive: true });
  }
}

describe('a compilation', () => {
  it('that fits succeeds, and one that wants more memory than it may have fails', async () => {
    expect((await compiled(SMALL, { memory: 36 })).ok).toBe(true);
    expect((await compiled(LARGE, { memory: 36 })).ok).toBe(false);
  }, 120_000);

  it('that takes longer than it may is ended', async () => {
    expect(await compiled(LARGE, { time: 200 })).toMatchObject({ ok: false });
  }, 120_000);
});
