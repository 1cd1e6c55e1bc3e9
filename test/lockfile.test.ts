import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Entry {
  readonly integrity?: string;
  readonly link?: boolean;
}

const text = readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Entry>> };
const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);

test('the lockfile names the SHA-512 of everything that any system may install', () => {
  expect(entries.length).toBeGreaterThan(300);
  const bare = entries.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
  expect(bare.map(([path]) => path)).toEqual([]);
});

test('the lockfile names no place that packages come from', () => {
  expect(text).not.toMatch(/https?:\/\/[^"]*\.tgz/);
});
