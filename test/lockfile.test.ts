import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const text = readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Entry>> };
const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);
const bare = entries.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));

test('the lockfile names the SHA-512 of everything that is installed on this system', () => {
  expect(entries.length).toBeGreaterThan(300);
  const forOthers = bare.filter(([, entry]) => entry.optional === true && entry.os !== undefined);
  expect(bare).toEqual(forOthers);
  const here = bare.filter(
    ([, { os = [], cpu = [] }]) => os.includes(process.platform) && cpu.includes(process.arch),
  );
  const libc = here.filter(([path]) => !/musl/.test(path));
  expect(process.platform === 'linux' && process.arch === 'x64' ? libc : []).toEqual([]);
});

test('the lockfile names no place that packages come from', () => {
  expect(text).not.toMatch(/https?:\/\/[^"]*\.tgz/);
});
