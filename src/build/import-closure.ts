import { setImmediate as turn } from 'node:timers/promises';
import { FetchError, printable } from './fetch-error.js';
import { importsIn, sourceName } from './imports.js';
import { PackageTree, type Placed } from './package-tree.js';
import type { Packages } from './packages.js';

/** A source that an upload brings. */
export interface UploadedSource {
  readonly filename: string;
  readonly content: string;
}

/** Everything that uploaded sources import from packages, and theirs in turn. */
export interface ImportClosure {
  /** Sources by the name that the compiler asks for. */
  readonly files: Readonly<Record<string, string>>;
  /** What cannot be imported, and why, by the same names. */
  readonly missing: Readonly<Record<string, string>>;
  /** `context:prefix=target` where a package sees another version than the one at the top; mostly none. */
  readonly remappings: readonly string[];
  /** What was fetched: `name@version` at a location, with its integrity. */
  readonly packages: readonly Pick<Placed, 'name' | 'version' | 'integrity' | 'location'>[];
}

/** Sources that one version may draw in from packages. */
const MOST_IMPORTED = 4000;

/** Bytes of them. */
const MOST_IMPORTED_BYTES: number = 24 * 1024 * 1024;

/** Time that fetching may take for one version, in milliseconds. */
const TIME = 120_000;

/**
 * Follows the imports of uploaded sources into packages and reads what they reach, so that a compiler needs neither a
 * disk nor a network. A package is fetched when an import reaches it, and not before.
 *
 * @param specs `packages[]` of the version: what it may import from
 * @param set tells this set of packages from others, and when it was chosen
 * @throws FetchError, FetchInterrupted
 */
export async function importClosure(
  packages: Packages,
  sources: readonly UploadedSource[],
  specs: readonly string[],
  about: { readonly set: string; readonly signal: AbortSignal },
): Promise<ImportClosure> {
  const late = AbortSignal.timeout(TIME);
  const signal = AbortSignal.any([about.signal, late]);
  const tree = new PackageTree(packages, specs, { choices: packages.choices(about.set), signal });
  const walk = new Walk(tree, sources);
  try {
    await walk.run();
  } catch (cause) {
    if (late.aborted && !about.signal.aborted)
      throw new FetchError(specs.join(', '), 'unreachable', `it took more than ${String(TIME / 1000)} s`);
    throw cause;
  }
  return {
    files: Object.fromEntries(walk.files),
    missing: Object.fromEntries(walk.missing),
    remappings: walk.remappings(),
    packages: tree.placed.map(({ name, version, integrity, location }) => ({
      name,
      version,
      integrity,
      location,
    })),
  };
}

/** A source that waits for its imports to be followed. */
interface Waiting {
  readonly name: string;
  readonly content: string;
  readonly from: Placed | undefined;
}

class Walk {
  readonly files = new Map<string, string>();
  readonly missing = new Map<string, string>();
  readonly #tree: PackageTree;
  readonly #uploaded: ReadonlySet<string>;
  readonly #waiting: Waiting[];
  /** Which location a name means to the package at another (none: the upload). */
  readonly #edges = new Map<string, Map<string, string>>();
  #bytes = 0;

  constructor(tree: PackageTree, sources: readonly UploadedSource[]) {
    this.#tree = tree;
    this.#uploaded = new Set(sources.map(({ filename }) => filename));
    this.#waiting = sources.map(({ filename, content }) => ({ name: filename, content, from: undefined }));
  }

  async run(): Promise<void> {
    for (let index = 0; index < this.#waiting.length; index += 1) {
      const source = this.#waiting[index];
      // Others have their turn between two sources, however many there are.
      await turn();
      for (const path of source ? importsIn(source.content) : [])
        if (source) await this.#follow(sourceName(path, source.name), source.from);
    }
  }

  async #follow(name: string, from: Placed | undefined): Promise<void> {
    if (from === undefined && this.#uploaded.has(name)) return;
    if (!isPlain(name)) {
      this.missing.set(name, `Import path not allowed: ${name}`);
      return;
    }
    const own = from && name.startsWith(`${from.location}/`) ? from : undefined;
    const found = own ?? (await this.#package(name, from));
    if (found) this.#take(found, own ? name.slice(own.location.length + 1) : pathIn(name));
  }

  /** Takes a source of a package, whose imports are then followed. */
  #take(found: Placed, path: string): void {
    const unit = `${found.location}/${path}`;
    if (this.files.has(unit)) return;
    const bytes = path.endsWith('.sol') ? found.files.get(path) : undefined;
    if (bytes === undefined) {
      const words = path.endsWith('.sol') ? 'has no' : 'gives nothing but .sol files, so not';
      this.missing.set(unit, `File not found: the package ${found.name} ${words} ${path}.`);
      return;
    }
    this.#bytes += bytes.length;
    if (this.files.size >= MOST_IMPORTED || this.#bytes > MOST_IMPORTED_BYTES)
      throw new FetchError(found.trail.join(' → '), 'refused', 'its imports reach too many sources');
    const content = bytes.toString('utf8');
    this.files.set(unit, content);
    this.#waiting.push({ name: unit, content, from: found });
  }

  /** The package that an import from elsewhere means; where there is none the reason is noted. */
  async #package(name: string, from: Placed | undefined): Promise<Placed | undefined> {
    const wanted = packageIn(name);
    try {
      const found = await this.#tree.find(wanted, from);
      if (found) {
        const edges = this.#edges.get(from?.location ?? '') ?? new Map<string, string>();
        this.#edges.set(from?.location ?? '', edges.set(wanted, found.location));
        return found;
      }
      const words = from
        ? `${name} is no part of ${from.name}, and of nothing that it depends on.`
        : `${name} is neither uploaded nor part of a package in packages[].`;
      this.missing.set(name, `File not found: ${words}`);
    } catch (cause) {
      // What a package names and no rule admits is missing where it is imported; all else ends the fetch.
      if (!(cause instanceof FetchError) || (cause.kind !== 'refused' && cause.kind !== 'absent'))
        throw cause;
      this.missing.set(name, printable(`File not found: ${cause.message}`));
    }
    return undefined;
  }

  /** Told to the compiler only where a name does not mean what it says, since they are part of a contract's metadata. */
  remappings(): readonly string[] {
    const told: { readonly context: string; readonly prefix: string; readonly target: string }[] = [];
    const locations = [...this.#edges.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    for (const location of locations) {
      const edges = [...(this.#edges.get(location) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [name, target] of edges) {
        const context = location === '' ? '' : `${location}/`;
        const inherited = told.findLast(
          (one) => one.prefix === `${name}/` && context.startsWith(one.context),
        );
        if (`${target}/` !== (inherited?.target ?? `${name}/`))
          told.push({ context, prefix: `${name}/`, target: `${target}/` });
      }
    }
    return told.map(({ context, prefix, target }) => `${context}:${prefix}=${target}`);
  }
}

/** A name whose parts are plain names, as they are in a package. */
function isPlain(name: string): boolean {
  const parts = name.split('/');
  return parts.every((part) => part !== '' && part !== '.' && part !== '..') && !/[\\\0:]/.test(name);
}

function packageIn(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

function pathIn(name: string): string {
  return name.slice(packageIn(name).length + 1);
}
