import { execFile } from 'node:child_process';
import { WindlassError } from '../model/error.js';
import { member, textMember, type Json } from '../model/json.js';

/** `name`, `name@1.2.3`, `name@1`, `name@tag`, as the plan's schema has it; nothing that a shell or npm reads otherwise. */
const SPEC = /^((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([0-9A-Za-z.+-]+))?$/;

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** Time for one question to the registry. */
const TIMEOUT_MS = 60_000;

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

/** Asks npm; its standard output, also when it fails, and undefined when it cannot be run or does not answer. */
export type AskNpm = (args: readonly string[]) => Promise<string | undefined>;

/**
 * Pins a package: an exact version gets its integrity, a bare name or a part of a version the newest version that fits. npm is asked,
 * so that registry, proxy and credentials are those of `.npmrc`. Exact versions never change and are kept in the cache
 * file; without a network they are pinned without integrity.
 *
 * @param spec `@scope/name`, `name@1.2.3`, `name@1`
 * @param cache keeps pins of exact versions
 * @throws PLAN_UNKNOWN_REFERENCE for a malformed spec, or a package or version that the registry does not have;
 * REMOTE_UNREACHABLE when a name without exact version cannot be looked up
 */
export async function resolvePackage(
  spec: string,
  cache: PinCache,
  ask: AskNpm = askNpm,
): Promise<PinnedPackage> {
  const [, name, wanted = ''] = SPEC.exec(spec) ?? [];
  if (name === undefined) throw unknown(`${JSON.stringify(spec)} is not the name of an npm package.`);
  const exact = EXACT.test(wanted);
  const cached = exact ? pinnedIn(await cache.get(spec)) : undefined;
  if (cached) return cached;
  const answer = parsed(await ask(['view', spec, 'name', 'version', 'dist.integrity', '--json']));
  const found = newestIn(answer);
  if (found?.name === name && found.integrity !== undefined) {
    await cache.put(`${found.name}@${found.version}`, { ...found });
    return found;
  }
  if (isRefused(answer)) throw unknown(`The registry has no package ${spec}.`);
  if (exact) return { name, version: wanted };
  throw new WindlassError('REMOTE_UNREACHABLE', `The newest version of ${spec} cannot be looked up.`, {
    advice: `Name the exact version in the plan, for example ${name}@1.2.3, or run again with a network.`,
  });
}

function newestIn(answer: Json | undefined): PinnedPackage | undefined {
  return pinnedIn(Array.isArray(answer) ? (answer as readonly Json[]).at(-1) : answer);
}

/** The registry was reached and does not have it. */
function isRefused(answer: Json | undefined): boolean {
  const code = textMember(member(answer, 'error'), 'code');
  return code === 'E404' || code === 'ETARGET' || answer === '';
}

function unknown(message: string): WindlassError {
  return new WindlassError('PLAN_UNKNOWN_REFERENCE', message, { advice: 'Check the name and the version.' });
}

/** `npm view` prints an object, a list of them for a range in ascending order, or nothing. */
function parsed(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === '') return '';
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function pinnedIn(entry: Json | undefined): PinnedPackage | undefined {
  const name = textMember(entry, 'name');
  const version = textMember(entry, 'version');
  const integrity = textMember(entry, 'dist.integrity') ?? textMember(entry, 'integrity');
  if (name === undefined || version === undefined || !EXACT.test(version)) return undefined;
  return { name, version, ...(integrity?.startsWith('sha512-') && { integrity }) };
}

function askNpm(args: readonly string[]): Promise<string | undefined> {
  const windows = process.platform === 'win32';
  return new Promise((resolve) => {
    // npm.cmd needs a shell on Windows; the specification of a package lets nothing through that a shell reads.
    const options = { timeout: TIMEOUT_MS, shell: windows, maxBuffer: 64_000_000 };
    execFile(windows ? 'npm.cmd' : 'npm', [...args], options, (error, stdout) => {
      resolve(error && stdout.trim() === '' ? undefined : stdout);
    });
  });
}
