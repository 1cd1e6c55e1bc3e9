import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A package could not be fetched, in words for the one who asked for it. */
export class FetchError extends Error {
  constructor(specs: readonly string[], reason: string) {
    super(`cannot fetch ${specs.join(', ')}: ${reason}`);
    this.name = 'FetchError';
  }
}

/** Time that npm gets, in milliseconds. */
const TIMEOUT = 180_000;

/**
 * Installs packages into a folder that appears complete or not at all; a folder that is there is left as it is.
 * npm brings what a company needs (registry, proxy, credentials), checks every tarball against its recorded SHA-512,
 * and runs no script of any package.
 *
 * @param specs `name@version`; the caller has checked their form
 * @throws FetchError with the last lines of npm
 */
export async function installOnce(folder: string, specs: readonly string[]): Promise<void> {
  if (await exists(folder)) return;
  const unfinished = `${folder}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(unfinished, { recursive: true });
  try {
    await writeFile(join(unfinished, 'package.json'), '{"private":true,"type":"commonjs"}');
    await runNpm(unfinished, specs);
    await mkdir(dirname(folder), { recursive: true });
    await rename(unfinished, folder);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    // Another platform with the same cache may have finished first.
    if (!(await exists(folder))) throw cause;
  }
}

/** Packages that an install brought, with their npm integrity (`sha512-…`), by path below the folder. */
export async function installedPackages(folder: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8');
  const lock = JSON.parse(text) as {
    readonly packages?: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  return new Map(Object.entries(lock.packages ?? {}).map(([path, entry]) => [path, entry.integrity ?? '']));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function runNpm(folder: string, specs: readonly string[]): Promise<void> {
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--omit=dev'];
  const windows = process.platform === 'win32';
  const child = spawn(
    windows ? 'npm.cmd' : 'npm',
    [...args, '--loglevel=error', '--prefix', folder, '--', ...specs],
    {
      cwd: folder,
      shell: windows,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: TIMEOUT,
    },
  );
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said = (said + text.toString()).slice(-4000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', () => {
      reject(new FetchError(specs, 'npm cannot be started'));
    });
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new FetchError(specs, reasonIn(said)));
    });
  });
}

/** What npm gave as the reason, without paths, addresses and pointers to its log. */
function reasonIn(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^npm error ?/, '').trim())
    .filter((line) => line !== '' && !/^(A complete log|code |errno|npm warn)/i.test(line));
  const first = (lines[0] ?? 'npm gave no reason').replace(/https?:\/\/\S+/g, 'the registry');
  return first.slice(0, 300);
}

/**
 * All published versions of a package, as npm lists them.
 *
 * @throws FetchError when the registry cannot be asked within 20 seconds
 */
export async function publishedVersions(name: string): Promise<readonly string[]> {
  const windows = process.platform === 'win32';
  const args = ['view', name, 'versions', '--json', '--loglevel=error'];
  const child = spawn(windows ? 'npm.cmd' : 'npm', args, {
    shell: windows,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 20_000,
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    said += text.toString();
  });
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      reject(new FetchError([name], 'the registry cannot be asked'));
    };
    child.once('error', fail);
    child.once('close', (code) => {
      const versions: unknown = code === 0 ? JSON.parse(said) : undefined;
      if (Array.isArray(versions)) resolve(versions.filter((version) => typeof version === 'string'));
      else fail();
    });
  });
}
