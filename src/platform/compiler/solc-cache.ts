import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FetchError, installedPackages, installOnce } from './npm.js';

/** A compiler on disk. */
export interface Compiler {
  readonly version: string;
  /** Path of its `soljson.js`. */
  readonly path: string;
  /** SHA-256 of that file in hex, taken when npm had just verified it; undefined for the one Windlass brings. */
  readonly sha256: string | undefined;
}

/** A Solidity version that can be asked for: three numbers. */
export const SOLC_VERSION: RegExp = /^\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/**
 * The compiler of exactly this version: from the cache, from npm, or the one that Windlass depends on.
 *
 * @param version without a leading `v`
 * @throws FetchError when it cannot be had
 */
export async function findCompiler(cacheDir: string, version: string): Promise<Compiler> {
  if (!SOLC_VERSION.test(version)) throw new FetchError([`solc ${version}`], 'this is no released version');
  const own = await ownCompiler();
  if (own.version === version) return own;
  const folder = join(cacheDir, 'solc', version);
  await installOnce(folder, [`solc@${version}`]);
  const path = join(folder, 'node_modules', 'solc', 'soljson.js');
  return { version, path, sha256: await recordedDigest(folder, path, version) };
}

async function ownCompiler(): Promise<Compiler> {
  const manifest = createRequire(import.meta.url).resolve('solc/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string };
  return { version, path: join(dirname(manifest), 'soljson.js'), sha256: undefined };
}

async function recordedDigest(folder: string, path: string, version: string): Promise<string> {
  const record = join(folder, 'windlass.json');
  try {
    return (JSON.parse(await readFile(record, 'utf8')) as { readonly soljson: string }).soljson;
  } catch {
    const integrity = (await installedPackages(folder)).get('node_modules/solc') ?? '';
    if (!integrity.startsWith('sha512-'))
      throw new FetchError([`solc@${version}`], 'npm recorded no SHA-512 of it');
    const soljson = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    await writeFile(record, JSON.stringify({ version, integrity, soljson }));
    return soljson;
  }
}
