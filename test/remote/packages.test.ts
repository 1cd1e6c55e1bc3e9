import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPinCache } from '../../src/disk/pin-cache.js';
import { resolvePackage as resolve, type AskNpm, type PinnedPackage } from '../../src/remote/packages.js';

const INTEGRITY = 'sha512-ytPc6eLGcHHnapAZ9S==';

async function aCacheFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-packages-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'deep', 'packages.json');
}

/** Resolves with a cache in a file, as the command line does. */
function resolvePackage(spec: string, file: string, npm: AskNpm): Promise<PinnedPackage> {
  return resolve(spec, openPinCache(file), npm);
}

/** npm, answering what `npm view --json` prints. */
function npmThatSays(answer: unknown): AskNpm & { asked: string[] } {
  const asked: string[] = [];
  const ask = async (args: readonly string[]): Promise<string | undefined> => {
    asked.push(args[1] ?? '');
    return answer === undefined ? undefined : JSON.stringify(answer);
  };
  return Object.assign(ask, { asked });
}

function entry(version: string): unknown {
  return { name: '@openzeppelin/contracts', version, 'dist.integrity': INTEGRITY };
}

test('an exact version is pinned with its integrity, and asked for once', async () => {
  const cache = await aCacheFile();
  const npm = npmThatSays(entry('5.0.2'));
  const pinned = { name: '@openzeppelin/contracts', version: '5.0.2', integrity: INTEGRITY };
  expect(await resolvePackage('@openzeppelin/contracts@5.0.2', cache, npm)).toEqual(pinned);
  expect(await resolvePackage('@openzeppelin/contracts@5.0.2', cache, npm)).toEqual(pinned);
  expect(npm.asked).toEqual(['@openzeppelin/contracts@5.0.2']);
});

test('a bare name is asked for every time, since the newest changes', async () => {
  const cache = await aCacheFile();
  const npm = npmThatSays(entry('5.7.0'));
  await resolvePackage('@openzeppelin/contracts', cache, npm);
  expect(await resolvePackage('@openzeppelin/contracts', cache, npm)).toMatchObject({ version: '5.7.0' });
  expect(npm.asked).toHaveLength(2);
});

test('of several versions that fit, the newest is taken', async () => {
  const npm = npmThatSays([entry('4.9.0'), entry('4.9.6')]);
  const pinned = await resolvePackage('@openzeppelin/contracts@4.9', await aCacheFile(), npm);
  expect(pinned.version).toBe('4.9.6');
});

test('without a network an exact version is pinned without integrity, and not kept', async () => {
  const cache = await aCacheFile();
  for (const answer of [undefined, { error: { code: 'ENOTFOUND' } }]) {
    expect(await resolvePackage('solady@0.1.26', cache, npmThatSays(answer))).toEqual({
      name: 'solady',
      version: '0.1.26',
    });
  }
  await expect(readFile(cache)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('without a network what was pinned before keeps its integrity', async () => {
  const cache = await aCacheFile();
  await resolvePackage('@openzeppelin/contracts@5.0.2', cache, npmThatSays(entry('5.0.2')));
  const offline = await resolvePackage('@openzeppelin/contracts@5.0.2', cache, npmThatSays(undefined));
  expect(offline.integrity).toBe(INTEGRITY);
});

test('without a network a bare name cannot be pinned', async () => {
  await expect(resolvePackage('solady', await aCacheFile(), npmThatSays(undefined))).rejects.toMatchObject({
    code: 'REMOTE_UNREACHABLE',
  });
});

test('a package or version that the registry lacks is the plan’s mistake', async () => {
  const npm = npmThatSays({ error: { code: 'E404', summary: 'Not Found' } });
  for (const spec of ['no-such-package-here', 'solady@99.0.0']) {
    await expect(resolvePackage(spec, await aCacheFile(), npm)).rejects.toMatchObject({
      code: 'PLAN_UNKNOWN_REFERENCE',
    });
  }
});

test.each(['', '../evil', '--registry=x', '-g', 'a b', 'a;b', 'a@file:../x', 'git+ssh://x', 'a@1 || 2', 'A'])(
  '%j is no package and npm is not run',
  async (spec) => {
    const npm = npmThatSays(entry('1.0.0'));
    await expect(resolvePackage(spec, await aCacheFile(), npm)).rejects.toMatchObject({
      code: 'PLAN_UNKNOWN_REFERENCE',
    });
    expect(npm.asked).toEqual([]);
  },
);

test('an answer for another package is not believed', async () => {
  const npm = npmThatSays({ name: 'other', version: '5.0.2', 'dist.integrity': INTEGRITY });
  expect(await resolvePackage('solady@5.0.2', await aCacheFile(), npm)).toEqual({
    name: 'solady',
    version: '5.0.2',
  });
});

test('a damaged cache is replaced', async () => {
  const cache = (await aCacheFile()).replace('/deep', '');
  await writeFile(cache, '{"@openzeppelin/contracts@5.0.2": {"name"');
  const npm = npmThatSays(entry('5.0.2'));
  await resolvePackage('@openzeppelin/contracts@5.0.2', cache, npm);
  await resolvePackage('@openzeppelin/contracts@5.0.2', cache, npm);
  expect(npm.asked).toHaveLength(1);
});
