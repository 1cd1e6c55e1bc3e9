import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { FetchError, installedPackages, installOnce } from './npm.js';

/** Packages that sources may import from. */
export interface PackageSet {
  /** Their `node_modules`; undefined when there are none. */
  readonly folder: string | undefined;
  /** Names that imports may begin with: the packages asked for and what they depend on. */
  readonly names: readonly string[];
  /** SHA-256 of what npm installed, package by package, in hex; empty when there are none. */
  readonly digest: string;
}

/** A package as `packages[]` names it: a name, and a version, range or tag. Addresses and paths are none. */
export const PACKAGE_SPEC: RegExp =
  /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*(@[A-Za-z0-9.^~+*-]+)?$/;

const EXACT = /@\d+\.\d+\.\d+[A-Za-z0-9.+-]*$/;

/**
 * Fetches the packages of one version. Exact versions are fetched once; a bare name or a range means the newest that
 * fits, asked for anew each day.
 *
 * @param today day in words (`2026-01-31`), part of the cache's key for what is not exact
 * @throws FetchError
 */
export async function findPackages(
  cacheDir: string,
  specs: readonly string[],
  today: string,
): Promise<PackageSet> {
  if (specs.length === 0) return { folder: undefined, names: [], digest: '' };
  const wrong = specs.find((spec) => !PACKAGE_SPEC.test(spec));
  if (wrong !== undefined) throw new FetchError([wrong], 'this is no package name with a version');
  const wanted = [...new Set(specs)].sort();
  const day = wanted.every((spec) => EXACT.test(spec)) ? [] : [today];
  const key = createHash('sha256')
    .update(JSON.stringify([wanted, day]))
    .digest('hex')
    .slice(0, 32);
  const folder = join(cacheDir, 'packages', key);
  await installOnce(folder, wanted);
  const installed = await installedPackages(folder);
  const names = [...installed.keys()].flatMap((path) => {
    const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path);
    return match?.[1] === undefined ? [] : [match[1]];
  });
  const digest = createHash('sha256')
    .update(JSON.stringify([...installed].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex');
  return { folder: join(folder, 'node_modules'), names, digest };
}
