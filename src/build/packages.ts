import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject, type Json } from '../model/json.js';
import { FetchInterrupted } from './fetch-error.js';
import { PackageStore, RecordStore } from './package-store.js';
import { Registry, type Published } from './registry.js';
import type { RegistryOptions } from './registry-options.js';
import { unpack } from './tarball.js';
import type { RegistrySpec } from './spec.js';
import type { WireTimes } from './wire.js';

/** What was chosen for one set of packages, so that it is chosen alike the next time, also without a network. */
export interface Choices {
  /** @throws FetchError, FetchInterrupted */
  pick(spec: RegistrySpec, signal: AbortSignal): Promise<Published>;
}

/** A file of the package and its manifest: all that sources need of it. */
const isSource = (path: string): boolean => path.endsWith('.sol') || path === 'package.json';

/** Packages of a registry, through a cache on disk. One for each cache folder and registry. */
export class Packages {
  readonly registry: Registry;
  readonly #store: PackageStore;
  readonly #records: RecordStore;
  readonly #underWay = new Map<string, Promise<Buffer>>();

  /** @throws RegistryOptionError */
  constructor(cacheDir: string, options: RegistryOptions = {}, times: WireTimes = {}) {
    this.registry = new Registry(options, times);
    this.#store = new PackageStore(cacheDir, options.cacheBytes);
    this.#records = new RecordStore(cacheDir);
  }

  /** Choices for one set of packages. @param set what the set is, in words that tell it from others */
  choices(set: string): Choices {
    const key = JSON.stringify([this.registry.base, set]);
    return {
      pick: async (spec, signal) => {
        const told = `${spec.name}@${spec.wanted}`;
        const known = publishedIn((await this.#chosen(key))[told], spec.name);
        // A choice of before is not asked for again, but whether it is allowed today is.
        if (known) return this.registry.admit(known);
        const picked = await this.registry.pick(spec, signal);
        const record = { ...(await this.#chosen(key)), [told]: { ...picked } };
        await this.#records.keep(key, JSON.stringify(record));
        return picked;
      },
    };
  }

  /** Sources and manifest of one version, by path below its folder. @throws FetchError, FetchInterrupted */
  async sources(wanted: Published, signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    return unpack(await this.tarball(wanted, signal), `${wanted.name}@${wanted.version}`, isSource);
  }

  /** The tarball of one version, from the cache or the registry. @throws FetchError, FetchInterrupted */
  async tarball(wanted: Published, signal: AbortSignal): Promise<Buffer> {
    if (signal.aborted) throw new FetchInterrupted();
    this.registry.admit(wanted);
    const kept = await this.#store.read(wanted.integrity);
    if (kept) return kept;
    return this.#once(wanted, signal);
  }

  /** Fetches once what several ask for at a time; who gives up does not take it from the others. */
  async #once(wanted: Published, signal: AbortSignal): Promise<Buffer> {
    const { integrity } = wanted;
    const joined = this.#underWay.get(integrity);
    if (joined) {
      try {
        return await joined;
      } catch (cause) {
        if (!(cause instanceof FetchInterrupted) || signal.aborted) throw cause;
        await pause(1);
        return this.#once(wanted, signal);
      }
    }
    const fetched = this.registry.tarball(wanted, signal).then(async (bytes) => {
      await this.#store.keep(integrity, bytes);
      return bytes;
    });
    this.#underWay.set(integrity, fetched);
    try {
      return await fetched;
    } finally {
      this.#underWay.delete(integrity);
    }
  }

  async #chosen(key: string): Promise<Readonly<Record<string, Json>>> {
    try {
      const read = JSON.parse((await this.#records.read(key)) ?? '{}') as Json;
      return isJsonObject(read) ? read : {};
    } catch {
      return {};
    }
  }

  /** Closes its connections. */
  close(): Promise<void> {
    return this.registry.close();
  }
}

function publishedIn(entry: Json | undefined, expected: string): Published | undefined {
  if (!isJsonObject(entry ?? null)) return undefined;
  const { name, version, integrity } = entry as Readonly<Record<string, Json>>;
  if (name !== expected || typeof version !== 'string' || typeof integrity !== 'string') return undefined;
  return /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) ? { name: expected, version, integrity } : undefined;
}
