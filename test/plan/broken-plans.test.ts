import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import { FIXTURES, loadFixture, underlined } from './fixture.js';

/*
 * Each plan says on its guilty lines what has to be found there: `# ERROR: CODE «underlined»`, several with `|`.
 * Mistakes in files beside the plan stand at its top: `# IN path:line CODE «underlined»`. Nothing else may be found.
 */
const PLANS = readdirSync(`${FIXTURES}broken`).map((name) => `broken/${name}`);

function promised(text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const [, path, at, rest] = /^# IN (\S+):(\d+) (.*)$/.exec(line) ?? [];
    if (path !== undefined && rest !== undefined) return [`${path}:${at} ${rest}`];
    const [, errors] = /# ERROR: (.*)$/.exec(line) ?? [];
    return (errors?.split(' | ') ?? []).map((error) => `windlass.yaml:${index + 1} ${error}`);
  });
}

async function found(
  diagnostics: readonly Diagnostic[],
  plan: string,
  promises: readonly string[],
): Promise<readonly string[]> {
  return Promise.all(
    diagnostics.map(async (diagnostic) => {
      const { file, range, code } = diagnostic;
      const place = `${file}:${range.start.line} ${code}`;
      if (promises.includes(place)) return place;
      const text = file === 'windlass.yaml' ? plan : await readFile(FIXTURES + file, 'utf8');
      const marked = underlined(text, diagnostic);
      return `${place} «${marked.replace(/^[,\n]$/, '')}»`;
    }),
  );
}

describe.each(PLANS)('%s', (path) => {
  test('gives every mistake at once, each at its own token, and nothing else', async () => {
    const plan = readFileSync(FIXTURES + path, 'utf8');
    const promises = promised(plan);
    const { ok, diagnostics } = await loadFixture({ path });
    expect(ok).toBe(false);
    expect(promises.length).toBeGreaterThan(0);
    expect([...(await found(diagnostics, plan, promises))].sort()).toEqual([...promises].sort());
  });

  test('gives them in reading order, each a full sentence', async () => {
    const { diagnostics } = await loadFixture({ path });
    const places = diagnostics.map(({ file, range }) => ({ file, ...range.start }));
    const sorted = places.toSorted(
      (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
    );
    expect(places).toEqual(sorted);
    for (const { message } of diagnostics) expect(message).toMatch(/^\S.*\.$/s);
  });
});
