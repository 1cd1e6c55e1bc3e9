import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { integrityOf } from '../../src/build/registry.js';
import { PackageStore } from '../../src/build/package-store.js';
import { openRegistry } from '../support/package-registry.js';
import { aFolder, packagesOf, reached } from './reached.js';

const X = { name: 'x', files: { 'X.sol': 'library X {}' } };
const bytesOf = (fill: number, length = 1000): Buffer => Buffer.alloc(length, fill);

describe('the cache of packages', () => {
  it('gives what was fetched without asking again, also when nobody can be asked', async () => {
    const cache = await aFolder();
    const registry = await openRegistry(X);
    const { url } = registry;
    await reached(await packagesOf({ url }, { cache }), ['x/X.sol'], ['x']);
    const asked = registry.asked.length;
    const found = await reached(await packagesOf({ url }, { cache }), ['x/X.sol'], ['x']);
    expect(Object.keys(found.files)).toEqual(['x/X.sol']);
    expect(registry.asked).toHaveLength(asked);
  });

  it('tells one registry from another', async () => {
    const cache = await aFolder();
    const [one, two] = [
      await openRegistry(X),
      await openRegistry({ ...X, files: { 'X.sol': 'library Two {}' } }),
    ];
    for (const { url } of [one, two])
      await reached(await packagesOf({ url }, { cache }), ['x/X.sol'], ['x@1.0.0']);
    const found = await reached(await packagesOf({ url: two.url }, { cache }), ['x/X.sol'], ['x@1.0.0']);
    expect(found.files['x/X.sol']).toBe('library Two {}');
  });

  it('does not keep what the operator no longer allows from being refused', async () => {
    const cache = await aFolder();
    const { url } = await openRegistry(X);
    await reached(await packagesOf({ url }, { cache }), ['x/X.sol'], ['x@1.0.0']);
    const stricter = await packagesOf({ url, allow: [] }, { cache });
    expect((await reached(stricter, ['x/X.sol'], ['x@1.0.0'])).missing['x/X.sol']).toContain(
      'does not allow',
    );
  });

  it('notices what was changed, and fetches it anew', async () => {
    const cache = await aFolder();
    const registry = await openRegistry(X);
    await reached(await packagesOf({ url: registry.url }, { cache }), ['x/X.sol'], ['x@1.0.0']);
    for (const folder of ['tarballs', 'choices']) {
      const [name = ''] = await readdir(join(cache, folder));
      const file = join(cache, folder, name);
      const text = await readFile(file);
      for (const harmed of [Buffer.concat([text, Buffer.from('x')]), text.subarray(0, 20), Buffer.alloc(0)]) {
        await writeFile(file, harmed);
        const found = await reached(
          await packagesOf({ url: registry.url }, { cache }),
          ['x/X.sol'],
          ['x@1.0.0'],
        );
        expect(found.files['x/X.sol']).toBe('library X {}');
      }
    }
  });

  it('keeps within its bytes; what was used least recently goes', async () => {
    const cache = await aFolder();
    const store = new PackageStore(cache, 3500);
    const kept = [1, 2, 3].map((fill) => bytesOf(fill));
    for (const [age, bytes] of kept.entries()) {
      await store.keep(integrityOf(bytes), bytes);
      const at = 1_000_000 + age;
      const names = await readdir(join(cache, 'tarballs'));
      for (const name of names) {
        const path = join(cache, 'tarballs', name);
        if ((await stat(path)).mtimeMs > 2_000_000_000) await utimes(path, at, at);
      }
    }
    // The oldest is used once more, so that the second is the one that goes.
    expect(await store.read(integrityOf(kept[0]!))).toEqual(kept[0]);
    await store.keep(integrityOf(bytesOf(4)), bytesOf(4));
    const there = await Promise.all([...kept, bytesOf(4)].map((bytes) => store.read(integrityOf(bytes))));
    expect(there.map((bytes) => bytes !== undefined)).toEqual([true, false, true, true]);
    await store.keep(integrityOf(bytesOf(5, 4000)), bytesOf(5, 4000));
    expect(await store.read(integrityOf(bytesOf(5, 4000)))).toBeUndefined();
  });

  it('is shared: what many ask for at a time is fetched once by each platform, and never seen half', async () => {
    const cache = await aFolder();
    const registry = await openRegistry(X);
    const platforms = [
      await packagesOf({ url: registry.url }, { cache }),
      await packagesOf({ url: registry.url }, { cache }),
    ];
    const all = platforms.flatMap((packages) =>
      Array.from({ length: 8 }, () => reached(packages, ['x/X.sol'], ['x@1.0.0'])),
    );
    for (const found of await Promise.all(all)) expect(found.files['x/X.sol']).toBe('library X {}');
    expect(registry.tarballs().length).toBeLessThanOrEqual(2);
    expect(await readdir(join(cache, 'tarballs'))).toHaveLength(1);
  });
});
