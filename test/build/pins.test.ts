import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPinCache } from '../../src/disk/pin-cache.js';
import { FetchError } from '../../src/build/fetch-error.js';
import { pinPackage, type PinnedPackage } from '../../src/build/pins.js';
import type { Published, Registry } from '../../src/build/registry.js';

const INTEGRITY = `sha512-${'A'.repeat(86)}==`;

async function aCacheFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-packages-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'deep', 'packages.json');
}

/** Pins with a cache in a file, as the command line does. */
function pin(spec: string, file: string, registry: Pick<Registry, 'pick'>): Promise<PinnedPackage> {
  return pinPackage(spec, { cache: openPinCache(file), registry, signal: new AbortController().signal });
}

/** A registry that answers one thing, and remembers what it was asked. */
function registryThatSays(answer: Published | FetchError): Pick<Registry, 'pick'> & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    pick: async ({ name, wanted }) => {
      asked.push(`${name}@${wanted}`);
      if (answer instanceof FetchError) throw answer;
      return answer;
    },
  };
}

const published = (version: string): Published => ({
  name: '@openzeppelin/contracts',
  version,
  integrity: INTEGRITY,
});

const dead = registryThatSays(new FetchError('solady', 'unreachable', 'the registry does not answer'));

test('an exact version is pinned with its integrity, and asked for once', async () => {
  const cache = await aCacheFile();
  const registry = registryThatSays(published('5.0.2'));
  expect(await pin('@openzeppelin/contracts@5.0.2', cache, registry)).toEqual(published('5.0.2'));
  expect(await pin('@openzeppelin/contracts@5.0.2', cache, registry)).toEqual(published('5.0.2'));
  expect(registry.asked).toEqual(['@openzeppelin/contracts@5.0.2']);
});

test('a bare name is asked for every time, since the newest changes', async () => {
  const cache = await aCacheFile();
  const registry = registryThatSays(published('5.7.0'));
  await pin('@openzeppelin/contracts', cache, registry);
  expect(await pin('@openzeppelin/contracts', cache, registry)).toMatchObject({ version: '5.7.0' });
  expect(registry.asked).toHaveLength(2);
});

test('without a network an exact version is pinned without integrity, and not kept', async () => {
  const cache = await aCacheFile();
  expect(await pin('solady@0.1.26', cache, dead)).toEqual({ name: 'solady', version: '0.1.26' });
  await expect(readFile(cache)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('without a network what was pinned before keeps its integrity', async () => {
  const cache = await aCacheFile();
  await pin('@openzeppelin/contracts@5.0.2', cache, registryThatSays(published('5.0.2')));
  const offline = await pin('@openzeppelin/contracts@5.0.2', cache, dead);
  expect(offline.integrity).toBe(INTEGRITY);
});

test('without a network a bare name cannot be pinned', async () => {
  await expect(pin('solady', await aCacheFile(), dead)).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
});

test('a package or version that the registry lacks is the plan’s mistake', async () => {
  const registry = registryThatSays(
    new FetchError('solady', 'absent', 'the registry has no version that fits'),
  );
  for (const spec of ['no-such-package-here', 'solady@99.0.0']) {
    await expect(pin(spec, await aCacheFile(), registry)).rejects.toMatchObject({
      code: 'PLAN_UNKNOWN_REFERENCE',
    });
  }
});

test('a package that may not be used, or that nothing vouches for, is refused', async () => {
  for (const kind of ['refused', 'broken'] as const) {
    const registry = registryThatSays(
      new FetchError('solady@0.1.26', kind, 'the registry names no SHA-512 of it'),
    );
    await expect(pin('solady@0.1.26', await aCacheFile(), registry)).rejects.toMatchObject({
      code: 'PACKAGE_REFUSED',
    });
  }
});

test.each(['', '../evil', '--registry=x', '-g', 'a b', 'a;b', 'a@file:../x', 'git+ssh://x', 'a@1 || 2', 'A'])(
  '%j is no package, and nobody is asked',
  async (spec) => {
    const registry = registryThatSays(published('1.0.0'));
    await expect(pin(spec, await aCacheFile(), registry)).rejects.toMatchObject({
      code: 'PLAN_UNKNOWN_REFERENCE',
    });
    expect(registry.asked).toEqual([]);
  },
);

test('a damaged cache is replaced', async () => {
  const cache = (await aCacheFile()).replace('/deep', '');
  await writeFile(cache, '{"@openzeppelin/contracts@5.0.2": {"name"');
  const registry = registryThatSays(published('5.0.2'));
  await pin('@openzeppelin/contracts@5.0.2', cache, registry);
  await pin('@openzeppelin/contracts@5.0.2', cache, registry);
  expect(registry.asked).toHaveLength(1);
});
