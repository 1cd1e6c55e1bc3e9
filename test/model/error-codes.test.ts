import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import type { CodeRow } from '../../src/model/codes/row.js';
import { ERROR_CODES, EXIT } from '../../src/model/error-codes.js';

const src = join(import.meta.dirname, '..', '..', 'src');
const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.artifact.ts'))
  .filter((file) => !/^model[/\\](codes[/\\]|error-codes\.ts)/.test(file))
  .map((file) => readFileSync(join(src, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, ''));

const codes = Object.keys(ERROR_CODES);
const rows: readonly (readonly [string, CodeRow])[] = Object.entries(ERROR_CODES);

/** Every literal in a place where a code stands: reported, thrown or named as `code`. */
function reportedCodes(): ReadonlySet<string> {
  const places = [
    /new WindlassError\(\s*'(\w+)'/g,
    /\bcode: '([A-Z]+_[A-Z_]+)'/g,
    /ERROR_CODES\.([A-Z][A-Z_]+)/g,
    /'((?:CLI|PLAN|LOCK|JOURNAL|STATE|RUN|CHANGESET|CHANGE|ATTESTATION|REMOTE|STEP|RESOLVE|ADOPT|PLATFORM)_[A-Z_]+)'/g,
  ];
  return new Set(
    texts.flatMap((text) => places.flatMap((place) => [...text.matchAll(place)].map((m) => m[1]!))),
  );
}

describe('the table of error codes', () => {
  test('holds every code that is reported anywhere in the sources', () => {
    const reported = [...reportedCodes()];
    expect(reported.length).toBeGreaterThan(60);
    expect(reported.filter((code) => !codes.includes(code))).toEqual([]);
  });

  test('holds no code that is never reported', () => {
    const written = new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/'([A-Z][A-Z_]+)'|ERROR_CODES\.([A-Z_]+)/g)].map((m) => m[1] ?? m[2]),
      ),
    );
    expect(codes.filter((code) => !written.has(code))).toEqual([]);
  });

  test('takes each code from one file only, and every file of them', async () => {
    const files = readdirSync(join(src, 'model', 'codes')).filter((file) => file !== 'row.ts');
    const modules = await Promise.all(
      files.map(
        async (file) =>
          (await import(pathToFileURL(join(src, 'model', 'codes', file)).href)) as Record<string, object>,
      ),
    );
    const listed = modules.flatMap((module) => Object.values(module).flatMap((table) => Object.keys(table)));
    expect(files.length).toBeGreaterThan(4);
    expect(listed.toSorted()).toEqual(codes.toSorted());
  });

  test('says in whole sentences what a code means and what to do', () => {
    for (const [code, { meaning, advice, more }] of rows) {
      for (const text of [meaning, advice, ...(more === undefined ? [] : [more])]) {
        expect(text, code).toMatch(/^[A-Z`].{15,}[.`]$/s);
        expect(text, code).not.toContain('\n');
      }
      expect(meaning, code).not.toMatch(/\. /);
      expect(advice, code).not.toBe(meaning);
    }
    const meanings = rows.map(([, { meaning }]) => meaning);
    expect(new Set(meanings).size).toBe(meanings.length);
  });

  test('gives each code an exit code that tells a failure', () => {
    const failures: readonly number[] = Object.values(EXIT).filter((exit) => ![0, 2].includes(exit));
    for (const [code, { exit }] of rows) expect(failures, code).toContain(exit);
    for (const [code, { blame, exit }] of rows)
      if (blame === 'windlass') expect(exit, code).toBe(EXIT.unexpected);
  });

  test('shows examples that can be read as commands or as YAML, except where YAML is what is wrong', () => {
    const shown = rows.filter(([, { example }]) => example !== undefined);
    expect(shown.length).toBeGreaterThan(30);
    for (const [code, { example = '' }] of shown) {
      const lines = example.split('\n');
      expect(Math.max(...lines.map((line) => line.length)), code).toBeLessThanOrEqual(130);
      const isCommand = lines.every((line) =>
        /^(windlass|git|chmod|openssl|WINDLASS_\w+=1 windlass) /.test(line),
      );
      const breaksYaml = ['PLAN_SYNTAX', 'PLAN_FORBIDDEN_YAML', 'PLAN_ROWS'].includes(code);
      if (isCommand || breaksYaml) continue;
      const errors = parseDocument(example, { uniqueKeys: false }).errors.map((error) => error.message);
      expect(errors, code).toEqual([]);
    }
  });

  test('names only commands of Windlass that exist', () => {
    const program = ['plan-commands', 'help-commands', 'person-commands', 'platform-commands']
      .map((file) => readFileSync(join(src, 'cli', `${file}.ts`), 'utf8'))
      .join('\n');
    const known = new Set([...program.matchAll(/\.command\('(\w[\w-]*)/g)].map((m) => m[1]));
    const named = rows.flatMap(([, row]) =>
      [...`${row.advice} ${row.more} ${row.example}`.matchAll(/\bwindlass ([a-z]+)/g)].map((m) => m[1]!),
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => name !== 'help' && !known.has(name))).toEqual([]);
  });
});
