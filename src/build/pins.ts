import { textMember, type Json } from '../model/json.js';
import { WindlassError } from '../model/error.js';
import { FetchError } from './fetch-error.js';
import type { Published, Registry } from './registry.js';
import { registrySpec } from './spec.js';

/** `name`, `name@1.2.3`, `name@1`, `name@tag`, as the plan's schema has it. */
const SPEC = /^((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([0-9A-Za-z.+-]+))?$/;

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** A package, pinned. `integrity` is the registry's (`sha512-…`); absent when the registry could not be asked. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity?: string;
}

/** Remembers pins between commands. A lost one costs a question, nothing else. */
export interface PinCache {
  get(spec: string): Promise<Json | undefined>;
  put(spec: string, pin: Json): Promise<void>;
}

/**
 * Pins a package: an exact version gets its integrity, a bare name or a part of a version the newest version that fits.
 * Exact versions never change and are kept in the cache; where the registry does not answer, they are pinned without
 * integrity.
 *
 * @param spec `@scope/name`, `name@1.2.3`, `name@1`
 * @param cache keeps pins of exact versions
 * @throws PLAN_UNKNOWN_REFERENCE for a malformed spec, or a package or version that the registry does not have;
 * PACKAGE_REFUSED for one that may not be used; FetchInterrupted; REMOTE_UNREACHABLE when a name without exact version cannot be looked up
 */
export async function pinPackage(
  spec: string,
  {
    cache,
    registry,
    signal,
  }: { readonly cache: PinCache; readonly registry: Pick<Registry, 'pick'>; readonly signal: AbortSignal },
): Promise<PinnedPackage> {
  const [, name, wanted = ''] = SPEC.exec(spec) ?? [];
  if (name === undefined) throw unknown(`${JSON.stringify(spec)} is not the name of an npm package.`);
  const exact = EXACT.test(wanted);
  const cached = exact ? pinnedIn(await cache.get(spec)) : undefined;
  if (cached) return cached;
  try {
    const found = await registry.pick(registrySpec(name, wanted), signal);
    const { name: is, version, integrity } = found satisfies Published;
    await cache.put(`${is}@${version}`, { name: is, version, integrity });
    return { name: is, version, integrity };
  } catch (cause) {
    return otherwise(cause, { spec, name, ...(exact && { version: wanted }) });
  }
}

/** What a failed look-up leaves: the exact version, or an error that says who must act. */
function otherwise(
  cause: unknown,
  about: { readonly spec: string; readonly name: string; readonly version?: string },
): PinnedPackage {
  const { spec, name, version } = about;
  if (!(cause instanceof FetchError)) throw cause;
  if (cause.kind === 'absent') throw unknown(`The registry has no package ${spec}.`);
  if (cause.kind !== 'unreachable')
    throw new WindlassError('PACKAGE_REFUSED', sentence(cause.message), { cause });
  if (version !== undefined) return { name, version };
  throw new WindlassError(
    'REMOTE_UNREACHABLE',
    `The newest version of ${spec} cannot be looked up: ${cause.reason}.`,
    {
      advice: `Name the exact version in the plan, for example ${name}@1.2.3, or run again with a network.`,
    },
  );
}

function sentence(message: string): string {
  return `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}.`;
}

function unknown(message: string): WindlassError {
  return new WindlassError('PLAN_UNKNOWN_REFERENCE', message, { advice: 'Check the name and the version.' });
}

function pinnedIn(entry: Json | undefined): PinnedPackage | undefined {
  const [name, version, integrity] = ['name', 'version', 'integrity'].map((key) => textMember(entry, key));
  if (name === undefined || version === undefined || !EXACT.test(version)) return undefined;
  return { name, version, ...(integrity?.startsWith('sha512-') && { integrity }) };
}
