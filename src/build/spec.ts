import npa from 'npm-package-arg';
import { FetchError, printable } from './fetch-error.js';
import { PACKAGE_SPEC } from './package-name.js';

/** A package as a registry knows it. */
export interface RegistrySpec {
  /** Its name in the registry; another than the one that imports use where the specification is an alias. */
  readonly name: string;
  /** An exact version, a range or a tag. */
  readonly wanted: string;
  readonly type: 'version' | 'range' | 'tag';
}

/** Longest specification that is read; npm's own are far shorter. */
const MOST_CHARACTERS = 300;

const KINDS = {
  git: 'a Git repository',
  remote: 'an address',
  file: 'a file',
  directory: 'a folder',
} as const;

/**
 * Reads what a package names as a dependency. Versions, ranges and tags of the registry are taken, and aliases of them.
 *
 * @param wanted as a `package.json` writes it; empty means any version
 * @throws FetchError `refused` for what lies elsewhere: Git, addresses, files, folders, links, workspaces
 */
export function registrySpec(name: string, wanted: string): RegistrySpec {
  const spec = `${name}@${wanted}`;
  const refused = (what: string): FetchError =>
    new FetchError(spec, 'refused', `it names ${what}, and only packages of the registry are used`);
  if (spec.length > MOST_CHARACTERS) throw refused('something too long to be a version');
  const read = parsed(name, wanted);
  if (read === undefined) throw refused('no version that npm knows');
  const { type, subSpec } = read;
  const target = type === 'alias' ? subSpec : read;
  if (target === undefined || target.name === null || type in KINDS) throw refused(kindOf(type));
  if (target.type !== 'version' && target.type !== 'range' && target.type !== 'tag')
    throw refused(kindOf(target.type));
  return { name: target.name, wanted: target.fetchSpec ?? '*', type: target.type };
}

/** A specification of `packages[]`. @throws FetchError `refused` when it is none */
export function topLevelSpec(spec: string): RegistrySpec & { readonly importName: string } {
  if (!PACKAGE_SPEC.test(spec))
    throw new FetchError(printable(spec), 'refused', 'this is no package name with a version');
  const at = spec.indexOf('@', 1);
  const importName = at === -1 ? spec : spec.slice(0, at);
  return { ...registrySpec(importName, at === -1 ? '' : spec.slice(at + 1)), importName };
}

function kindOf(type: string): string {
  return KINDS[type as keyof typeof KINDS] ?? 'no version';
}

function parsed(name: string, wanted: string): ReturnType<typeof npa.resolve> | undefined {
  try {
    // A place of its own: paths are refused, and what they are relative to must not matter.
    return npa.resolve(name, wanted, '/');
  } catch {
    return undefined;
  }
}
