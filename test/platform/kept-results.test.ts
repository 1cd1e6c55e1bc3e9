import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Packages } from '../../src/build/packages.js';
import { compile, type CompileJob, type CompileWith } from '../../src/platform/compiler/compile.js';
import { keptResult } from '../../src/platform/compiler/kept-results.js';
import { CompilerThreads } from '../../src/platform/compiler/threads.js';

const JOB: CompileJob = {
  compiler: '0.8.37',
  optimizer: { enabled: true, runs: 200 },
  sources: [
    { filename: 'Seven.sol', content: 'pragma solidity ^0.8.0; contract Seven { uint256 public kind = 7; }' },
  ],
  packages: [],
};

const ORDER = { compiler: 'own 0.8.37', input: 'input', files: {}, missing: {} };

/** What compiling works with besides its threads. */
function about(cacheDir: string): Omit<CompileWith, 'threads'> {
  const { signal } = new AbortController();
  return { cacheDir, packages: new Packages(cacheDir), today: '2026-01-01', signal };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'kept-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

/** A compiler whose thread ends before it answers: whatever it seems to compile was compiled before. */
function deadThreads(): CompilerThreads {
  const threads = new CompilerThreads(1, { time: 0 });
  onTestFinished(() => threads.close());
  return threads;
}

describe('what was compiled', () => {
  it('is not compiled again, as long as it is whole and nothing that it depends on changed', async () => {
    const cacheDir = await folder();
    const rest = about(cacheDir);
    expect(await compile(JOB, { ...rest, threads: deadThreads() })).toMatchObject({ ok: false });
    const threads = new CompilerThreads(1);
    onTestFinished(() => threads.close());
    const compiled = await compile(JOB, { ...rest, threads });
    expect(compiled).toMatchObject({ ok: true, contracts: [{ name: 'Seven' }] });

    expect(await compile(JOB, { ...rest, threads: deadThreads() })).toEqual(compiled);
    const others: readonly Partial<CompileJob>[] = [
      { optimizer: { enabled: true, runs: 201 } },
      { sources: [{ filename: 'Seven.sol', content: `${JOB.sources[0]?.content} ` }] },
      { sources: [{ filename: 'Other.sol', content: JOB.sources[0]?.content ?? '' }] },
    ];
    for (const other of others)
      expect(await compile({ ...JOB, ...other }, { ...rest, threads: deadThreads() })).toMatchObject({
        ok: false,
      });

    const [name = ''] = await readdir(join(cacheDir, 'compiled'));
    const file = join(cacheDir, 'compiled', name);
    const text = await readFile(file, 'utf8');
    for (const harmed of [text.replace('Seven', 'Eight'), text.slice(0, -1), '']) {
      await writeFile(file, harmed);
      expect(await compile(JOB, { ...rest, threads: deadThreads() })).toMatchObject({ ok: false });
    }
  });

  it('with mistakes is not kept', async () => {
    const cacheDir = await folder();
    const threads = new CompilerThreads(1);
    onTestFinished(() => threads.close());
    const job = { ...JOB, sources: [{ filename: 'A.sol', content: 'contract {' }] };
    expect(await compile(job, { ...about(cacheDir), threads })).toMatchObject({ ok: false });
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it('belongs to one compiler and to what it is given of packages', async () => {
    const cacheDir = await folder();
    await keptResult(cacheDir, ORDER).keep('output');
    expect(await keptResult(cacheDir, ORDER).read()).toBe('output');
    const others = [
      { ...ORDER, compiler: 'own 0.8.36' },
      { ...ORDER, files: { 'a/A.sol': '' } },
      { ...ORDER, missing: { 'a/A.sol': '' } },
    ];
    for (const other of others) expect(await keptResult(cacheDir, other).read()).toBeUndefined();
  });

  it('goes when there is much newer', async () => {
    const cacheDir = await folder();
    const compiled = join(cacheDir, 'compiled');
    await mkdir(compiled);
    for (let age = 1; age <= 500; age += 1) {
      await writeFile(join(compiled, `old-${String(age)}`), '');
      await utimes(join(compiled, `old-${String(age)}`), 1_000_000 - age, 1_000_000 - age);
    }
    await keptResult(cacheDir, ORDER).keep('output');
    const names = await readdir(compiled);
    expect(names).toHaveLength(250);
    expect(names).not.toContain('old-500');
    expect(names).toContain('old-1');
    expect(await keptResult(cacheDir, ORDER).read()).toBe('output');
  });

  it('is compiled each time where nothing can be kept', async () => {
    const file = join(await folder(), 'file');
    await writeFile(file, '');
    await keptResult(file, ORDER).keep('output');
    expect(await keptResult(file, ORDER).read()).toBeUndefined();
  });
});
