import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpack } from '../../src/build/tarball.js';
import { tarballOf, type TarEntry } from '../support/package-registry.js';

const all = (): boolean => true;
const unpacked = (bytes: Uint8Array): Promise<ReadonlyMap<string, Buffer>> => unpack(bytes, 'x@1.0.0', all);
const withEntries = (...entries: TarEntry[]): Buffer =>
  tarballOf({ name: 'x', files: { 'A.sol': 'library A {}' }, entries });

describe('a tarball', () => {
  it('gives its files, by their path below its folder, whatever that is called', async () => {
    const bytes = withEntries({ path: 'other/deep/B.sol', content: 'library B {}' });
    const files = await unpacked(bytes);
    expect([...files.keys()].sort()).toEqual(['A.sol', 'deep/B.sol', 'package.json']);
    expect(files.get('deep/B.sol')?.toString()).toBe('library B {}');
    const sources = await unpack(bytes, 'x@1.0.0', (path) => path === 'A.sol');
    expect([...sources.keys()]).toEqual(['A.sol']);
  });

  it('has no links', async () => {
    const files = await unpacked(
      withEntries(
        { path: 'package/S.sol', type: '2', linkTo: '/etc/passwd' },
        { path: 'package/H.sol', type: '1', linkTo: '../../etc/passwd' },
        { path: 'package/dir', type: '2', linkTo: '/etc' },
      ),
    );
    expect([...files.keys()].sort()).toEqual(['A.sol', 'package.json']);
  });

  it.each(['package/../../etc/x.sol', '../x.sol', '/etc/x.sol', 'package\\..\\x.sol', 'C:/x.sol'])(
    'with the path %s is refused',
    async (path) => {
      await expect(unpacked(withEntries({ path, content: 'x' }))).rejects.toMatchObject({ kind: 'broken' });
    },
  );

  it('that unpacks to more than it may is stopped on the way', async () => {
    // 1 GiB of zeros in 1 MB: a file that goes on for ever, behind a header that is whole.
    const header = Buffer.from(tarHead('package/big.bin', 1024 ** 3));
    const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const bomb = Buffer.concat([gzipSync(header), ...Array.from({ length: 16 }, () => zeros)]);
    expect(bomb.length).toBeLessThan(2_000_000);
    const before = process.memoryUsage().arrayBuffers;
    await expect(unpack(bomb, 'x@1.0.0', () => false)).rejects.toThrow(/unpacks to more than 256 MiB/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(256 * 1024 * 1024);
    await expect(unpacked(bomb)).rejects.toThrow(/larger than any source/);
  });

  it('with more entries than any package has is refused', async () => {
    const many = Array.from({ length: 20_001 }, (_, n) => ({ path: `package/${String(n)}.sol` }));
    await expect(unpacked(withEntries(...many))).rejects.toThrow(/more than 20000 entries/);
  });

  it('that is damaged is refused', async () => {
    const whole = withEntries();
    const damaged = [whole.subarray(0, whole.length / 2), Buffer.from('no tarball'), Buffer.alloc(0)];
    for (const bytes of [...damaged, gzipSync(Buffer.alloc(100_000, 7))])
      await expect(unpacked(bytes)).rejects.toMatchObject({ kind: 'broken' });
  });
});

/** The header of an entry that says it is so long, without its bytes. */
function tarHead(path: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write(['0000644', '0000000', '0000000', ''].join('\0'), 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000', 136);
  header.write('        0', 148);
  header.write('ustar', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
