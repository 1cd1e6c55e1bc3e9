import { createHash } from 'node:crypto';
import { FetchError, FetchInterrupted, printable } from './fetch-error.js';
import { openWire, WireError, type Wire, type WireTimes } from './wire.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';
import { isAllowed, PUBLIC_REGISTRY, registryUrl, type RegistryOptions } from './registry-options.js';
import type { RegistrySpec } from './spec.js';

/** One version of a package, as the registry lists it. */
export interface Published {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of its tarball, `sha512-…`; the only thing that what is fetched is believed by. */
  readonly integrity: string;
}

/** A packument cut down to what choosing a version and fetching it take. */
interface Packument {
  readonly name: string;
  readonly versions: Readonly<Record<string, Listed>>;
  readonly 'dist-tags': Readonly<Record<string, string>>;
}
interface Listed {
  readonly name: string;
  readonly version: string;
  readonly deprecated?: string;
  readonly integrity: string | undefined;
  readonly tarball: string | undefined;
}

/** Largest packument that is read, decoded, in bytes; the largest of Solidity packages is 1 MB. */
const MOST_PACKUMENT: number = 6 * 1024 * 1024;

/** Largest tarball that is read, in bytes; the largest compiler is 13 MB. */
const MOST_TARBALL: number = 48 * 1024 * 1024;

/** The package that compilers are published in. A version asks for one by its number, and imports nothing from it. */
export const COMPILERS = 'solc';

/** How long the registry's answer is good, in milliseconds. */
const REMEMBER = 300_000;

/** Packages whose versions are remembered at a time. */
const MOST_REMEMBERED = 50;

/** The registry of npm packages: what it lists, and the bytes of its tarballs once they are proven. */
export class Registry {
  /** Origin and path, for keys of caches and for messages. */
  readonly base: string;
  readonly #options: RegistryOptions;
  readonly #url: URL;
  readonly #wire: Wire;
  readonly #remembered = new Map<string, { readonly at: number; readonly packument: Promise<Packument> }>();

  /** @throws RegistryOptionError */
  constructor(options: RegistryOptions = {}, times: WireTimes = {}) {
    this.#options = options;
    this.#url = registryUrl(options);
    this.base = this.#url.href;
    this.#wire = openWire(this.#url, options, times);
  }

  /**
   * The version that npm would choose: the newest that fits, rather one that is not deprecated.
   *
   * @throws FetchError, FetchInterrupted
   */
  async pick(spec: RegistrySpec, signal: AbortSignal): Promise<Published> {
    const told = `${spec.name}@${spec.wanted}`;
    this.admit({ name: spec.name, version: spec.wanted });
    const packument = await this.#packument(spec.name, signal).catch((cause: unknown) => {
      // What was asked for says more than the package alone.
      throw cause instanceof FetchError ? new FetchError(told, cause.kind, cause.reason) : cause;
    });
    const { default: pickManifest } = await import('npm-pick-manifest');
    const listed = attempt(() => pickManifest(packument, spec.wanted, { nodeVersion: null }));
    if (listed === undefined) throw new FetchError(told, 'absent', 'the registry has no version that fits');
    const { name, version, integrity } = listed;
    if (integrity === undefined)
      throw new FetchError(`${name}@${version}`, 'broken', 'the registry names no SHA-512 of it');
    return { name, version, integrity };
  }

  /** All versions of a package, as the registry lists them. @throws FetchError, FetchInterrupted */
  async versions(name: string, signal: AbortSignal): Promise<readonly string[]> {
    return Object.keys((await this.#packument(name, signal)).versions);
  }

  /**
   * The tarball of a version, proven by its SHA-512.
   *
   * @throws FetchError when the registry has another one, or says that it lies where nothing is fetched from
   */
  async tarball(wanted: Published, signal: AbortSignal): Promise<Buffer> {
    const told = `${wanted.name}@${wanted.version}`;
    this.admit(wanted);
    const listed = (await this.#packument(wanted.name, signal)).versions[wanted.version];
    if (listed === undefined) throw new FetchError(told, 'absent', 'the registry has no such version');
    if (listed.integrity !== wanted.integrity)
      throw new FetchError(told, 'broken', 'the registry has another one than was pinned');
    const url = this.#tarballUrl(listed, told);
    const bytes = await this.#get(url, told, { most: MOST_TARBALL, accept: '*/*', signal });
    if (bytes === undefined) throw new FetchError(told, 'absent', 'the registry does not have its tarball');
    if (integrityOf(bytes) !== wanted.integrity)
      throw new FetchError(told, 'broken', 'its tarball has not the SHA-512 that the registry names');
    return bytes;
  }

  /** Closes its connections. */
  close(): Promise<void> {
    return this.#wire.close();
  }

  /** @throws FetchError `refused` for a package that the operator does not list; compilers are always admitted */
  admit<P extends Pick<Published, 'name' | 'version'>>(wanted: P): P {
    if (wanted.name === COMPILERS || isAllowed(wanted.name, this.#options)) return wanted;
    const told = `${wanted.name}@${wanted.version}`;
    throw new FetchError(told, 'refused', 'the operator does not allow this package');
  }

  async #packument(name: string, signal: AbortSignal): Promise<Packument> {
    const now = performance.now();
    const known = this.#remembered.get(name);
    if (known && now - known.at < REMEMBER) return known.packument;
    const packument = this.#readPackument(name, signal);
    this.#remembered.set(name, { at: now, packument });
    const oldest = this.#remembered.keys().next().value;
    if (this.#remembered.size > MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    packument.catch(() => this.#remembered.delete(name));
    return packument;
  }

  async #readPackument(name: string, signal: AbortSignal): Promise<Packument> {
    const url = new URL(name.replace('/', '%2f'), this.#url);
    const accept = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';
    const bytes = await this.#get(url, name, { most: MOST_PACKUMENT, accept, signal });
    if (bytes === undefined) throw new FetchError(name, 'absent', 'the registry has no package of this name');
    const read = attempt(() => JSON.parse(bytes.toString('utf8')) as Json);
    const versions = member(read, 'versions');
    if (!isJsonObject(versions))
      throw new FetchError(name, 'broken', 'the registry answers something else than a list of versions');
    return cutDown(name, versions, member(read, 'dist-tags'));
  }

  /** Where a tarball lies: at the registry's origin, or at one that the operator names. @throws FetchError */
  #tarballUrl({ tarball }: Listed, told: string): URL {
    const refused = new FetchError(
      told,
      'refused',
      'the registry says that its tarball lies at another place than the registry',
    );
    if (tarball === undefined || !URL.canParse(tarball)) throw refused;
    const url = new URL(tarball);
    // Mirrors repeat the addresses of the registry that they mirror.
    if (url.host === new URL(PUBLIC_REGISTRY).host && url.host !== this.#url.host)
      return new URL(url.pathname.slice(1), this.#url);
    if (url.host === this.#url.host && url.username === '' && url.password === '')
      return new URL(url.pathname + url.search, this.#url);
    if (!this.#wire.reaches(url)) throw refused;
    return url;
  }

  async #get(
    url: URL,
    told: string,
    how: { readonly most: number; readonly accept: string; readonly signal: AbortSignal },
  ): Promise<Buffer | undefined> {
    try {
      return await this.#wire.get(url, how);
    } catch (cause) {
      if (how.signal.aborted) throw new FetchInterrupted();
      if (cause instanceof WireError) throw new FetchError(printable(told), cause.kind, cause.message);
      throw cause;
    }
  }
}

/** SHA-512 of bytes in npm's notation. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

function cutDown(name: string, versions: Readonly<Record<string, Json>>, tags: Json | undefined): Packument {
  const listed = Object.entries(versions).map(([version, entry]): [string, Listed] => {
    const dist = member(entry, 'dist');
    const integrity = sha512In(textMember(dist, 'integrity'));
    const deprecated = textMember(entry, 'deprecated');
    const tarball = textMember(dist, 'tarball');
    return [version, { name, version, integrity, tarball, ...(deprecated ? { deprecated } : {}) }];
  });
  const named = Object.entries(isJsonObject(tags) ? tags : {}).filter(
    (tag): tag is [string, string] => typeof tag[1] === 'string',
  );
  return { name, versions: Object.fromEntries(listed), 'dist-tags': Object.fromEntries(named) };
}

/** The SHA-512 among the digests that a packument lists; undefined when there is none. */
function sha512In(integrity: string | undefined): string | undefined {
  const digests = (integrity ?? '').split(/\s+/).map((digest) => digest.split('?')[0] ?? '');
  return digests.find((digest) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(digest));
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
