import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompileOrder } from './order.js';

/** Changes when the compiler is asked in another way than its input says. */
const GENERATION = 2;

/** Results that a folder keeps, and their bytes; the oldest go first. */
const LIMIT = 500;
const LIMIT_BYTES = 256 * 1024 * 1024;

/** What the compiler said of one input; nothing in it depends on when or where it was said. */
export interface KeptResult {
  /** Standard JSON output; undefined when it is not there. */
  read(): Promise<string | undefined>;
  /** Keeps an output for the next time; what cannot be kept is compiled again. */
  keep(output: string): Promise<void>;
}

/**
 * Where the output for an input is kept: by the content of everything it depends on, which is the input, the compiler
 * and the sources of packages. Loading a compiler costs more than most contracts do.
 *
 * @param order what a compiler thread would be asked
 */
export function keptResult(cacheDir: string, order: Omit<CompileOrder, 'soljson'>): KeptResult {
  const folder = join(cacheDir, 'compiled');
  const { compiler, input, files, missing } = order;
  const key = digestOf(JSON.stringify([GENERATION, compiler, input, files, missing]));
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
  const aged = await Promise.all(
    names.map(async (name) => {
      const { mtimeMs: at, size } = await stat(join(folder, name));
      return { name, at, size };
    }),
  );
  const total = aged.reduce((sum, { size }) => sum + size, 0);
  if (names.length <= LIMIT && total <= LIMIT_BYTES) return;
  let [count, bytes] = [0, 0];
  for (const { name, size } of aged.sort((a, b) => b.at - a.at)) {
    count += 1;
    bytes += size;
    if (count > LIMIT / 2 || bytes > LIMIT_BYTES / 2) await rm(join(folder, name), { force: true });
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
