import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FetchError, installedPackages, installOnce, publishedVersions } from './npm.js';

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

/** Oldest compiler that speaks Standard JSON. */
const OLDEST = '0.4.11';

/**
 * Compilers that can be had, oldest first: all published ones, or those on this machine when the registry cannot be
 * asked.
 */
export async function knownCompilers(cacheDir: string): Promise<readonly string[]> {
  const [own, cached] = await Promise.all([ownCompiler(), readdir(join(cacheDir, 'solc')).catch(() => [])]);
  const published = await rememberedVersions();
  const all = new Set([...published, ...cached, own.version].filter((version) => SOLC_VERSION.test(version)));
  return [...all].sort(byVersion).filter((version) => byVersion(version, OLDEST) >= 0);
}

/** How long the registry's answer is good, in milliseconds: asking takes seconds, and a compiler is published in weeks. */
const REMEMBER = 600_000;

let remembered: { readonly at: number; readonly versions: Promise<readonly string[]> } | undefined;

/** Published compilers; none when the registry cannot be asked, which is not remembered. */
async function rememberedVersions(): Promise<readonly string[]> {
  const now = performance.now();
  if (!remembered || now - remembered.at > REMEMBER)
    remembered = { at: now, versions: publishedVersions('solc') };
  try {
    return await remembered.versions;
  } catch {
    remembered = undefined;
    return [];
  }
}

function byVersion(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
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
