import { isJsonObject, type Json } from '../model/json.js';
import { FetchError, printable } from './fetch-error.js';
import type { Choices, Packages } from './packages.js';
import { fits } from './fits.js';
import type { Published } from './registry.js';
import { registrySpec, topLevelSpec, type RegistrySpec } from './spec.js';

/** A package at its place in the tree that npm would lay out. */
export interface Placed extends Published {
  /** What the names of its sources begin with, without the slash: `name`, or `name/node_modules/other`. */
  readonly location: string;
  /** By path below its folder: sources and `package.json`. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** What it depends on: import name → what its manifest writes. */
  readonly dependencies: ReadonlyMap<string, string>;
  /** How an upload reaches it, `name@version` each, itself last. */
  readonly trail: readonly string[];
}

/** Packages that one version may draw in. */
const MOST_PACKAGES = 64;

/** Bytes of their sources that are held at a time. */
const MOST_HELD = 96 * 1024 * 1024;

/** Length of the longest trail of packages that depend on one another. */
const MOST_DEPTH = 12;

/**
 * The packages that imports reach, each where npm would lay it: what an upload names lies at the top; what a package
 * depends on lies at the top too, where its name is free or the one there fits, and else below that package. Nothing is
 * fetched before it is reached, and reached in the same order it is laid out alike.
 */
export class PackageTree {
  readonly #packages: Packages;
  readonly #choices: Choices;
  readonly #signal: AbortSignal;
  readonly #top: ReadonlyMap<string, RegistrySpec>;
  readonly #placed = new Map<string, Placed>();
  #held = 0;

  /** @param specs `packages[]` @throws FetchError `refused` for one that is no package of the registry */
  constructor(
    packages: Packages,
    specs: readonly string[],
    about: { choices: Choices; signal: AbortSignal },
  ) {
    this.#packages = packages;
    this.#choices = about.choices;
    this.#signal = about.signal;
    this.#top = new Map(specs.map((spec) => [topLevelSpec(spec).importName, topLevelSpec(spec)]));
  }

  /** Everything that was fetched, by location. */
  get placed(): readonly Placed[] {
    return [...this.#placed.values()].sort((a, b) => (a.location < b.location ? -1 : 1));
  }

  /** The package at a location, if imports have reached it. */
  at(location: string): Placed | undefined {
    return this.#placed.get(location);
  }

  /**
   * The package that a name means to an importer.
   *
   * @param importer undefined: an uploaded file
   * @returns undefined when nothing declares it
   * @throws FetchError, FetchInterrupted
   */
  async find(name: string, importer: Placed | undefined): Promise<Placed | undefined> {
    if (importer?.name === name) return importer;
    const wanted = importer?.dependencies.get(name);
    if (importer === undefined || wanted === undefined) return this.#findForUpload(name);
    const spec = this.#told(importer, () => registrySpec(name, wanted));
    for (const location of placesAbove(importer.location, name)) {
      const there = this.#placed.get(location) ?? (location === name ? await this.#listed(name) : undefined);
      if (there && (await fits(there, spec))) return there;
    }
    const isFree = !this.#placed.has(name);
    return this.#place(isFree ? name : `${importer.location}/node_modules/${name}`, spec, importer);
  }

  /** As npm lays it out: what the upload names, then what packages that it names depend on. */
  async #findForUpload(name: string): Promise<Placed | undefined> {
    const listed = (await this.#listed(name)) ?? this.#placed.get(name);
    if (listed) return listed;
    for (const top of this.#top.keys()) {
      const holder = await this.#listed(top);
      if (holder?.dependencies.has(name) === true) return this.find(name, holder);
    }
    return undefined;
  }

  async #listed(name: string): Promise<Placed | undefined> {
    const spec = this.#top.get(name);
    return spec && (this.#placed.get(name) ?? this.#place(name, spec, undefined));
  }

  async #place(location: string, spec: RegistrySpec, importer: Placed | undefined): Promise<Placed> {
    const known = this.#placed.get(location);
    if (known) return known;
    const before = importer?.trail ?? [];
    const told = `${spec.name}@${spec.wanted}`;
    if (before.length >= MOST_DEPTH || this.#placed.size >= MOST_PACKAGES) {
      const most = before.length >= MOST_DEPTH ? `a chain of ${String(MOST_DEPTH)}` : String(MOST_PACKAGES);
      throw this.#needed(importer, new FetchError(told, 'refused', `more than ${most} packages are needed`));
    }
    try {
      const published = await this.#choices.pick(spec, this.#signal);
      const files = await this.#packages.sources(published, this.#signal);
      for (const file of files.values()) this.#held += file.length;
      if (this.#held > MOST_HELD)
        throw new FetchError(told, 'refused', 'the packages are too large together');
      const trail = [...before, `${published.name}@${published.version}`];
      const dependencies = dependenciesIn(files.get('package.json'));
      const placed = { ...published, location, files, dependencies, trail };
      this.#placed.set(location, placed);
      return placed;
    } catch (cause) {
      throw this.#needed(importer, cause);
    }
  }

  #told<T>(importer: Placed, make: () => T): T {
    try {
      return make();
    } catch (cause) {
      throw this.#needed(importer, cause);
    }
  }

  /** The error with the packages through which it was reached. */
  #needed(importer: Placed | undefined, cause: unknown): unknown {
    if (!(cause instanceof FetchError) || importer === undefined) return cause;
    return new FetchError(
      cause.spec,
      cause.kind,
      `${cause.reason} (needed by ${importer.trail.map(printable).join(' → ')})`,
    );
  }
}

/** Where a dependency of a package may lie already, nearest first. */
function placesAbove(location: string, name: string): readonly string[] {
  const parts = location.split('/node_modules/');
  const nested = parts.map((_, index) =>
    [...parts.slice(0, parts.length - index), name].join('/node_modules/'),
  );
  return [...nested, name];
}

/** What npm would install for a package: dependencies, optional ones, and peers. */
function dependenciesIn(manifest: Buffer | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let read: Json;
  try {
    read = JSON.parse(manifest?.toString('utf8') ?? '{}') as Json;
  } catch {
    return found;
  }
  const lists = isJsonObject(read)
    ? [read['peerDependencies'], read['dependencies'], read['optionalDependencies']]
    : [];
  for (const list of lists) {
    if (!isJsonObject(list ?? null)) continue;
    for (const [name, wanted] of Object.entries(list as Readonly<Record<string, Json>>))
      if (typeof wanted === 'string') found.set(name, wanted);
  }
  return found;
}
