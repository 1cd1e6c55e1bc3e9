import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FetchError } from './fetch-error.js';
import { COMPILERS } from './registry.js';
import type { Packages } from './packages.js';
import { unpack } from './tarball.js';

/** A compiler that can be loaded. */
export interface Compiler {
  readonly version: string;
  /** Tells its code from any other: the SHA-512 of its package, or the version of the one that Windlass brings. */
  readonly digest: string;
  /** Its `soljson.js`, proven by the digest of its package. @throws FetchError, FetchInterrupted */
  load(signal: AbortSignal): Promise<Buffer>;
}

/** A Solidity version that can be asked for: three numbers. */
export const SOLC_VERSION: RegExp = /^\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** Oldest compiler that speaks Standard JSON. */
const OLDEST = '0.4.11';

/** The file of that package that is the compiler. */
const SOLJSON = 'soljson.js';

/**
 * The compiler of exactly this version: the one that Windlass brings, or one from cache or registry.
 *
 * @param packages where compilers are published too; an allow-list for packages does not count for them
 * @param version without a leading `v`
 * @throws FetchError, FetchInterrupted
 */
export async function findCompiler(
  packages: Packages,
  version: string,
  signal: AbortSignal,
): Promise<Compiler> {
  if (!SOLC_VERSION.test(version))
    throw new FetchError(`solc ${version}`, 'refused', 'this is no released version');
  const own = await ownCompiler();
  if (own.version === version) return own;
  const published = await packages
    .choices(`solc@${version}`)
    .pick({ name: COMPILERS, wanted: version, type: 'version' }, signal);
  return {
    version,
    digest: published.integrity,
    load: async (signal) => {
      const bytes = await packages.tarball(published, signal);
      const files = await unpack(bytes, `solc@${version}`, (path) => path === SOLJSON);
      const soljson = files.get(SOLJSON);
      if (soljson === undefined)
        throw new FetchError(`solc@${version}`, 'broken', 'its package holds no compiler');
      return soljson;
    },
  };
}

/**
 * Compilers that can be had, oldest first: all published ones; where the registry cannot be asked, the one that Windlass
 * brings.
 */
export async function knownCompilers(packages: Packages, signal: AbortSignal): Promise<readonly string[]> {
  const [own, published] = await Promise.all([
    ownCompiler(),
    packages.registry.versions(COMPILERS, signal).catch((cause: unknown) => {
      if (cause instanceof FetchError) return [];
      throw cause;
    }),
  ]);
  const all = new Set([...published, own.version].filter((version) => SOLC_VERSION.test(version)));
  return [...all].sort(byVersion).filter((version) => byVersion(version, OLDEST) >= 0);
}

function byVersion(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

async function ownCompiler(): Promise<Compiler> {
  const manifest = createRequire(import.meta.url).resolve('solc/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string };
  const path = join(dirname(manifest), SOLJSON);
  return { version, digest: `own ${version}`, load: () => readFile(path) };
}
