import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAttemptTokens } from '../../src/disk/attempt-tokens.js';
import { readTokens } from '../../src/disk/token-reader.js';
import { temporaryFolder } from './temporary-folder.js';

it('knows the tokens that were issued before and after it was opened, and no others', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'tokens');
  const reader = readTokens(path);
  expect(reader.lookup('A'.repeat(43))).toBeUndefined();
  const tokens = await openAttemptTokens(path);
  const { token, digest } = await tokens.issue('tag.v1#1');
  expect(reader.lookup(token)).toBe(digest);
  await tokens.close();
  const again = await openAttemptTokens(path);
  const second = await again.issue('tag.v1#2');
  await again.close();
  expect(reader.lookup(second.token)).toBe(second.digest);
  expect(reader.lookup('A'.repeat(43))).toBeUndefined();
  expect(reader.lookup(`${token}x`)).toBeUndefined();
  expect(reader.lookup('../../etc/passwd')).toBeUndefined();
});

it('does not know a token that was not written to its end', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'tokens');
  const token = 'b'.repeat(43);
  await writeFile(path, token);
  const reader = readTokens(path);
  expect(reader.lookup(token)).toBeUndefined();
  await appendFile(path, '\n');
  expect(reader.lookup(token)).toMatch(/^sha256:/);
});
