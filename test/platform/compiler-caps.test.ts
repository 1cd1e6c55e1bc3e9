import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Packages } from '../../src/build/packages.js';
import { compile, type CompileResult } from '../../src/platform/compiler/compile.js';
import { CompilerThreads, type ThreadCaps } from '../../src/platform/compiler/threads.js';

const SMALL = 'pragma solidity ^0.8.0; contract Small { uint256 public kind = 7; }';

/** Much to compile, from little text: hundreds of functions, each with code of its own. */
const LARGE = `pragma solidity ^0.8.0; contract Large { uint256 s; ${Array.from(
  { length: 500 },
  (_, n) =>
    `function f${String(n)}(uint256 a) public { for (uint i; i < a; i++) { s += a * ${String(n)} + i; } }`,
).join(' ')} }`;

/** More of an expression than a compiler's stack holds: it breaks off in the middle. */
const DEEP = `contract Deep { function f() public pure returns (uint) { return ${'1+'.repeat(200_000)}1; } }`;

/** Compiles on the same threads: contents that stand in one list one after another, the lists side by side. */
async function compiled(
  lists: readonly (readonly string[])[],
  caps: ThreadCaps = {},
): Promise<readonly (readonly CompileResult[])[]> {
  const threads = new CompilerThreads(lists.length, caps);
  const cacheDir = await mkdtemp(join(tmpdir(), 'compiled-'));
  const packages = new Packages(cacheDir);
  const { signal } = new AbortController();
  const one = (content: string): Promise<CompileResult> => {
    const optimizer = { enabled: true, runs: 200 };
    const job = { compiler: '0.8.37', optimizer, sources: [{ filename: 'C.sol', content }], packages: [] };
    return compile(job, { threads, packages, cacheDir, today: '2026-01-01', signal });
  };
  const inTurn = async (contents: readonly string[]): Promise<readonly CompileResult[]> => {
    const results: CompileResult[] = [];
    for (const content of contents) results.push(await one(content));
    return results;
  };
  try {
    return await Promise.all(lists.map(inTurn));
  } finally {
    await threads.close();
    await rm(cacheDir, { recursive: true });
  }
}

const endsOf = (results: readonly (readonly CompileResult[])[]): unknown =>
  results.map((list) => list.map(({ ok }) => ok));

describe('a compilation', () => {
  it('that fits succeeds, and one that wants more memory than it may have fails', async () => {
    expect(endsOf(await compiled([[SMALL, LARGE]], { memory: 36 }))).toEqual([[true, false]]);
  }, 120_000);

  it('that takes longer than it may is ended', async () => {
    expect(endsOf(await compiled([[LARGE]], { time: 200 }))).toEqual([[false]]);
  }, 120_000);

  it('that breaks the compiler leaves a new one to those behind it', async () => {
    const [list = []] = await compiled([[SMALL, DEEP, SMALL.replace('7', '8')]]);
    expect(endsOf([list])).toEqual([[true, false, true]]);
  }, 120_000);

  it('beside others gets its own result', async () => {
    const small = (kind: string): string => SMALL.replace('Small', kind);
    const results = await compiled([
      [small('A1'), small('A2'), small('A3')],
      [small('B1'), small('B2'), small('B3')],
    ]);
    const names = results.map((list) =>
      list.map((result) => (result.ok ? result.contracts.map(({ name }) => name).join() : result.error)),
    );
    expect(names).toEqual([
      ['A1', 'A2', 'A3'],
      ['B1', 'B2', 'B3'],
    ]);
  }, 120_000);
});
