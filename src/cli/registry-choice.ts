import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  RegistryOptionError,
  registryUrl,
  webAddress,
  type RegistryOptions,
} from '../build/registry-options.js';
import { WindlassError } from '../model/error.js';
import type { Terminal } from './terminal.js';

/** Flags of `platform start` about packages; what they do not say the environment does. */
export interface PackageFlags {
  readonly packageRegistry?: string;
  readonly registryTokenFile?: string;
  readonly allowPackages?: string;
}

const BYTES = /^\d{1,15}$/;

/**
 * Where compilers and packages come from: flags, else variables that are Windlass's own. Neither `.npmrc` nor variables
 * of npm or of proxies count.
 *
 * @throws CLI_USAGE, SECRET_MISSING
 */
export function registryChoice(
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
  flags: PackageFlags = {},
): RegistryOptions {
  const options = given({
    url: flags.packageRegistry ?? env['WINDLASS_REGISTRY'],
    token: tokenIn(cwd, flags) ?? env['WINDLASS_REGISTRY_TOKEN'],
    proxy: env['WINDLASS_REGISTRY_PROXY'],
    tarballOrigins: listOf(env['WINDLASS_REGISTRY_TARBALLS']),
    allow: listOf(flags.allowPackages ?? env['WINDLASS_ALLOW_PACKAGES']),
    cacheBytes: bytesOf(env['WINDLASS_CACHE_BYTES']),
  });
  try {
    registryUrl(options);
    if (options.proxy !== undefined) webAddress(options.proxy, 'The proxy of the registry');
    for (const origin of options.tarballOrigins ?? []) webAddress(origin, 'An origin of tarballs');
  } catch (cause) {
    if (cause instanceof RegistryOptionError) throw new WindlassError('CLI_USAGE', cause.message, { cause });
    throw cause;
  }
  return options;
}

/** The flags as words, for a process of its own. */
export function packageWords(flags: PackageFlags): readonly string[] {
  const words: readonly (readonly [name: string, value: string | undefined])[] = [
    ['--package-registry', flags.packageRegistry],
    ['--registry-token-file', flags.registryTokenFile],
    ['--allow-packages', flags.allowPackages],
  ];
  return words.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

function tokenIn(cwd: string, { registryTokenFile: file }: PackageFlags): string | undefined {
  if (file === undefined) return undefined;
  try {
    const token = readFileSync(resolve(cwd, file), 'utf8').trim();
    if (/^[\x21-\x7e]+$/.test(token)) return token;
  } catch (cause) {
    throw new WindlassError('SECRET_MISSING', `The file ${file} cannot be read.`, { cause });
  }
  throw new WindlassError('SECRET_MISSING', `The file ${file} holds no token.`);
}

function listOf(text: string | undefined): readonly string[] | undefined {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  return text === undefined || text === '' ? undefined : parts.filter((part) => part !== '');
}

function bytesOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (BYTES.test(text)) return Number(text);
  throw new WindlassError('CLI_USAGE', 'WINDLASS_CACHE_BYTES is a number of bytes.');
}

/** The members that are not undefined and not empty. */
function given(members: {
  readonly [Name in keyof RegistryOptions]: RegistryOptions[Name] | undefined;
}): RegistryOptions {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries);
}
