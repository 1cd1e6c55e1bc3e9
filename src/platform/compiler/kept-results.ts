import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageSet } from './package-cache.js';
import type { Compiler } from './solc-cache.js';

/** Changes when the compiler is asked in another way than its input says. */
const GENERATION = 1;

/** Results that a folder keeps; the oldest go first. */
const LIMIT = 500;

/** What the compiler said of one input; nothing in it depends on when or where it was said. */
export interface KeptResult {
  /** Standard JSON output; undefined when it is not there. */
  read(): Promise<string | undefined>;
  /** Keeps an output for the next time; what cannot be kept is compiled again. */
  keep(output: string): Promise<void>;
}

/**
 * Where the output for an input is kept: by the content of everything it depends on, which is the input, the compiler
 * and the packages. Loading a compiler costs more than most contracts do.
 *
 * @param input Standard JSON input
 */
export function keptResult(
  cacheDir: string,
  input: string,
  by: { readonly compiler: Compiler; readonly packages: PackageSet },
): KeptResult {
  const folder = join(cacheDir, 'compiled');
  const { version, sha256 = null } = by.compiler;
  const key = digestOf(JSON.stringify([GENERATION, version, sha256, by.packages.digest, input]));
  const path = join(folder, key);
  return {
    read: async () => {
      const text = await readFile(path, 'utf8').catch(() => '');
      const output = text.slice(text.indexOf('\n') + 1);
      // Half a file, or one that was changed, is none.
      return text.startsWith(`${digestOf(output)}\n`) ? output : undefined;
    },
    keep: async (output) => {
      const unfinished = `${path}.${randomBytes(6).toString('hex')}.tmp`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(unfinished, `${digestOf(output)}\n${output}`, { mode: 0o600 });
        await rename(unfinished, path);
        await removeOldest(folder);
      } catch {
        await rm(unfinished, { force: true }).catch(() => undefined);
      }
    },
  };
}

async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= LIMIT) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const oldest = aged.sort((a, b) => a.at - b.at).slice(0, names.length - LIMIT / 2);
  for (const { name } of oldest) await rm(join(folder, name), { force: true });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
