import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { WindlassError } from '../../model/error.js';
import type { OwnVariable } from '../../model/own-variables.js';
import type { PlatformOptions } from '../../platform/options.js';
import { originOf } from '../../platform/server/access/web-pages.js';
import type { PortRange } from '../../platform/delivery/target.js';
import { platformFolders } from '../local-platform.js';
import type { Terminal } from '../terminal.js';

/** Flags that say where a platform's records and keys are. */
export interface StoreFlags {
  readonly database?: string;
  readonly databasePasswordFile?: string;
  readonly kekFile?: string;
}

/** Flags of a platform that others use. */
export interface HostingFlags extends StoreFlags {
  readonly hosted?: boolean;
  readonly publicUrl?: string;
  readonly trustProxy?: boolean;
  /** Origins whose web pages may ask `/rpc`. */
  readonly allowOrigin?: readonly string[];
  readonly allowCallbacks?: readonly string[];
  readonly callbackPorts?: string;
  readonly rateLimit?: string;
  readonly funderFile?: string;
  readonly funderFloor?: string;
  readonly log?: string;
  readonly drain?: string;
}

const WEI = 18;

/** Options of hosting, from flags, files and the environment. @throws CLI_USAGE, SECRET_MISSING */
export function hostingOptions(terminal: Terminal, flags: HostingFlags): Partial<PlatformOptions> {
  const { publicUrl, rateLimit: rate, drain, log } = flags;
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) throw usage(`${publicUrl} is no URL.`);
  for (const origin of flags.allowOrigin ?? [])
    if (originOf(origin) === undefined) throw usage(`${origin} is no origin such as http://localhost:3000.`);
  if (log !== undefined && log !== 'json') throw usage('The log is written as `json`.');
  return {
    ...storeOptions(terminal, flags),
    ...given<PlatformOptions>({
      hosted: flags.hosted,
      trustProxy: flags.trustProxy,
      allowOrigins: flags.allowOrigin,
      publicUrl: publicUrl?.replace(/\/+$/, ''),
      callbackTargets: callbackTargets(flags),
      limits: rate === undefined ? undefined : { requestsPerMinute: wholeOf(rate.replace(/\/min$/, '')) },
      funder: funderOf(terminal, flags),
      log: log && ((line) => terminal.err.write(line)),
      drainMs: drain === undefined ? undefined : wholeOf(drain) * 1000,
    }),
  };
}

function callbackTargets({
  allowCallbacks: allowed,
  callbackPorts,
}: HostingFlags): PlatformOptions['callbackTargets'] {
  const ports = callbackPorts?.split(',').map(portsOf);
  if (!allowed && !ports) return undefined;
  return { ...(allowed && { reach: 'public', allowed }), ...(ports && { ports }) };
}

/** `8080` or `8000-8999`. */
function portsOf(text: string): PortRange {
  const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (!(first >= 1 && first <= last && last <= 65_535)) {
    throw usage('The ports of callbacks are numbers and ranges: 80,443,8000-8999.');
  }
  return { first, last };
}

/** The members that are not undefined. */
function given<T>(members: { readonly [Name in keyof T]?: T[Name] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Where records and keys of the folder's platform are. @throws CLI_USAGE, SECRET_MISSING */
export function storeOptions(
  terminal: Terminal,
  flags: StoreFlags,
): Pick<PlatformOptions, 'database' | 'kek'> {
  const kek = secretOf(terminal, { env: 'WINDLASS_PLATFORM_KEK', file: flags.kekFile });
  const password = secretOf(terminal, {
    env: 'WINDLASS_DATABASE_PASSWORD',
    file: flags.databasePasswordFile,
  });
  const url = flags.database;
  if (url !== undefined && (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol))) {
    throw usage('A database is given as postgres://user@host:port/name.');
  }
  if (url !== undefined && new URL(url).password !== '') {
    throw usage('The password of a database is not given in a flag: set WINDLASS_DATABASE_PASSWORD.');
  }
  return {
    ...(kek !== undefined && { kek }),
    ...(url !== undefined && { database: { url, ...(password !== undefined && { password }) } }),
  };
}

/** Where the platform of the terminal's folder keeps everything. @throws CLI_USAGE, SECRET_MISSING */
export function storePlace(
  terminal: Terminal,
  flags: StoreFlags,
): { readonly dataDir: string; readonly database: PlatformOptions['database'] } {
  const { database } = storeOptions(terminal, flags);
  return { dataDir: platformFolders(terminal.cwd, terminal.env).dataDir, database };
}

/** The flags as words, for a process of its own. */
export function hostingWords(flags: HostingFlags): readonly string[] {
  const words: readonly (readonly [name: string, value: string | undefined])[] = [
    ['--database', flags.database],
    ['--database-password-file', flags.databasePasswordFile],
    ['--kek-file', flags.kekFile],
    ['--public-url', flags.publicUrl],
    ['--callback-ports', flags.callbackPorts],
    ['--rate-limit', flags.rateLimit],
    ['--funder-file', flags.funderFile],
    ['--funder-floor', flags.funderFloor],
    ['--log', flags.log],
    ['--drain', flags.drain],
  ];
  return [
    ...words.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ...(flags.hosted === true ? ['--hosted'] : []),
    ...(flags.trustProxy === true ? ['--trust-proxy'] : []),
    ...(flags.allowOrigin ?? []).flatMap((origin) => ['--allow-origin', origin]),
    ...(flags.allowCallbacks ? ['--allow-callbacks', ...flags.allowCallbacks] : []),
  ];
}

function funderOf(terminal: Terminal, flags: HostingFlags): PlatformOptions['funder'] {
  const text = secretOf(terminal, { env: 'WINDLASS_FUNDER_KEY', file: flags.funderFile });
  if (text === undefined) return undefined;
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(text)) throw usage('The key of the payer of gas is 64 hex digits.');
  const [whole = '', part = ''] = (flags.funderFloor ?? '0.05').split('.');
  if (!/^\d{1,9}$/.test(whole) || !/^\d{0,18}$/.test(part)) throw usage('The floor is an amount of ether.');
  const floor = BigInt(whole + part.padEnd(WEI, '0'));
  return { key: Uint8Array.from(Buffer.from(text.replace(/^0x/, ''), 'hex')), floor };
}

/** A secret from a file, else from the environment; it never comes in a flag. @throws SECRET_MISSING */
function secretOf(
  { cwd, env }: Terminal,
  { env: name, file }: { readonly env: OwnVariable; readonly file: string | undefined },
): string | undefined {
  if (file === undefined) return env[name] || undefined;
  try {
    const text = readFileSync(resolve(cwd, file), 'utf8').trim();
    if (text !== '') return text;
  } catch (cause) {
    throw new WindlassError('SECRET_MISSING', `The file ${file} cannot be read.`, { cause });
  }
  throw new WindlassError('SECRET_MISSING', `The file ${file} is empty.`);
}

function wholeOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw usage(`${text} is no number.`);
  return Number(text);
}

function usage(text: string): WindlassError {
  return new WindlassError('CLI_USAGE', text);
}
