import getNpmTarballUrl from 'get-npm-tarball-url';

/** Where packages and compilers come from. Nothing of npm's own configuration or environment is read. */
export interface RegistryOptions {
  /** Base address, http or https, without credentials; the public registry by default. */
  readonly url?: string;
  /** Sent as `Authorization: Bearer` to the registry's own origin, and nowhere else. */
  readonly token?: string;
  /** Origins beside the registry's that its tarballs may lie at (`https://host`); the token is not sent there. */
  readonly tarballOrigins?: readonly string[];
  /** An HTTP proxy that all requests go through; none by default, whatever the environment says. */
  readonly proxy?: string;
  /** Packages that may be used, `@scope/*` for a scope; dependencies too. Everything by default. */
  readonly allow?: readonly string[];
  /** Bytes that fetched packages may take on disk; those used least recently go. 1 GiB by default. */
  readonly cacheBytes?: number;
}

/** The registry that everybody publishes to, as npm's own conventions know it. */
export const PUBLIC_REGISTRY: string = new URL('/', getNpmTarballUrl('solc', '1.0.0')).href;

/** Registry options that cannot be used as they are. */
export class RegistryOptionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RegistryOptionError';
  }
}

/** Base address of the registry, ending in a slash. @throws RegistryOptionError */
export function registryUrl({ url = PUBLIC_REGISTRY }: RegistryOptions): URL {
  const parsed = webAddress(url, 'The package registry');
  if (parsed.search !== '' || parsed.hash !== '')
    throw new RegistryOptionError('The address of the package registry takes no query and no fragment.');
  if (!parsed.pathname.endsWith('/')) parsed.pathname += '/';
  return parsed;
}

/** @throws RegistryOptionError for anything but an http or https address without credentials; its text is not repeated */
export function webAddress(text: string, what: string): URL {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new RegistryOptionError(`${what} must be an http or https address.`);
  if (parsed.username !== '' || parsed.password !== '')
    throw new RegistryOptionError(`${what} must not hold credentials; give a token of its own.`);
  return parsed;
}

/** Whether the operator's list admits a package of the registry. */
export function isAllowed(name: string, { allow }: RegistryOptions): boolean {
  if (allow === undefined) return true;
  return allow.some((pattern) =>
    pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name || pattern === '*',
  );
}
