import type { SolidityImport } from './solidity-outline.js';

/** A source as the author keeps it. */
export interface SourceText {
  /** Relative to the plan's folder, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly SolidityImport[];
}

/** A source as it is sent: `text` differs from the author's only in the literals of imports. */
export interface FlatSource {
  readonly path: string;
  readonly filename: string;
  readonly text: string;
  readonly isRewritten: boolean;
}

/** An import that leads neither to a source of the version nor to one of its packages. */
export interface UnresolvedImport {
  readonly path: string;
  readonly found: SolidityImport;
  /** The path that it would have to be at; the import as written when it names no place here. */
  readonly target: string;
}

/** The flat form of a version's sources. */
export interface Flattened {
  readonly sources: readonly FlatSource[];
  readonly unresolved: readonly UnresolvedImport[];
}

/**
 * Gives every source a flat file name and points imports between sources at the new names. A base name that
 * is unique (whatever its case) is kept; otherwise the path becomes the name. An import that already leads to
 * the right flat name stays as written, so a flat folder is untouched. Imports from packages are left alone.
 *
 * @param packages names without versions
 */
export function flattenSources(sources: readonly SourceText[], packages: readonly string[]): Flattened {
  const names = flatNames(sources.map(({ path }) => path));
  const unresolved: UnresolvedImport[] = [];
  const flat = sources.map((source): FlatSource => {
    let text = '';
    let from = 0;
    for (const found of source.imports) {
      const target = resolveImport(found.path, source.path, names, packages);
      if (target.type === 'unresolved') unresolved.push({ path: source.path, found, target: target.path });
      if (target.type !== 'source' || isFlatPath(found.path, target.filename)) continue;
      text += `${source.text.slice(from, found.start)}"./${target.filename}"`;
      from = found.end;
    }
    const filename = names.get(source.path) ?? baseName(source.path);
    return { path: source.path, filename, text: text + source.text.slice(from), isRewritten: from > 0 };
  });
  return { sources: flat, unresolved };
}

/** Where an import leads. */
type ImportTarget =
  | { readonly type: 'source'; readonly filename: string }
  | { readonly type: 'package' }
  | { readonly type: 'unresolved'; readonly path: string };

/**
 * Resolves an import of the file `from`: relative paths from its folder; others to a package, or to a source
 * whose path it is from the plan's folder or from any folder above the file, or else the end of only one's path.
 */
function resolveImport(
  path: string,
  from: string,
  names: ReadonlyMap<string, string>,
  packages: readonly string[],
): ImportTarget {
  const isRelative = path.startsWith('./') || path.startsWith('../');
  if (!isRelative && packages.some((name) => path.startsWith(`${name}/`))) return { type: 'package' };
  const folders = isRelative ? [folderOf(from)] : [...foldersAbove(from), ''];
  for (const folder of folders) {
    const target = joinPath(folder, path) ?? '';
    const filename = names.get(target);
    if (filename !== undefined) return { type: 'source', filename };
  }
  if (isRelative) return { type: 'unresolved', path: joinPath(folderOf(from), path) ?? path };
  return findCopy(path, names) ?? { type: 'unresolved', path };
}

/** Copies of packages lie under folders such as node_modules: the one source whose path ends so is meant. */
function findCopy(path: string, names: ReadonlyMap<string, string>): ImportTarget | undefined {
  const [only, ...others] = [...names].filter(([source]) => source.endsWith(`/${path}`));
  if (only === undefined || others.length > 0 || !path.includes('/')) return undefined;
  return { type: 'source', filename: only[1] };
}

function isFlatPath(path: string, filename: string): boolean {
  return path === filename || path === `./${filename}`;
}

/** Flat file names by path; each once, whatever its case. */
function flatNames(paths: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const key = baseName(path).toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const taken = new Set(counts.keys());
  const names = new Map<string, string>();
  for (const path of paths) {
    const base = baseName(path);
    names.set(path, counts.get(base.toLowerCase()) === 1 ? base : uniqueName(path, taken));
  }
  return names;
}

function uniqueName(path: string, taken: Set<string>): string {
  const stem = path.replace(/\.sol$/i, '').replaceAll(/[^A-Za-z0-9._-]+/g, '_');
  for (let count = 1; ; count++) {
    const name = count === 1 ? `${stem}.sol` : `${stem}_${count}.sol`;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Folders of a file, nearest first, without the plan's own. */
function foldersAbove(path: string): readonly string[] {
  const parts = folderOf(path)
    .split('/')
    .filter((part) => part !== '');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
}

/** Joins and normalises; undefined when it would leave the plan's folder. */
function joinPath(folder: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
