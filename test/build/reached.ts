import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { importClosure, type ImportClosure } from '../../src/build/import-closure.js';
import { Packages } from '../../src/build/packages.js';
import type { RegistryOptions } from '../../src/build/registry-options.js';
import type { WireTimes } from '../../src/build/wire.js';

/** A folder of its own, that ends with the test. */
export async function aFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'windlass-build-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Packages of a registry, with a cache of their own unless one is given. */
export async function packagesOf(
  options: RegistryOptions,
  { cache, times }: { readonly cache?: string; readonly times?: WireTimes } = {},
): Promise<Packages> {
  const packages = new Packages(cache ?? (await aFolder()), options, times);
  onTestFinished(() => packages.close());
  return packages;
}

/** What imports of one source reach. */
export async function reached(
  packages: Packages,
  imports: readonly string[],
  specs: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<ImportClosure> {
  const content = imports.map((path) => `import "${path}";`).join('\n');
  const sources = [{ filename: 'Main.sol', content }];
  return importClosure(packages, sources, specs, { set: JSON.stringify(specs), signal });
}
