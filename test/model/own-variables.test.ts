import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isOwnVariable } from '../../src/model/own-variables.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function sources(): readonly { readonly path: string; readonly text: string }[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const paths = listed.split('\n').filter((path) => path.endsWith('.ts'));
  return paths.map((path) => ({ path, text: readFileSync(`${ROOT}/${path}`, 'utf8') }));
}

/** Where the environment of the process itself is taken; everything else is handed what is read there. */
const DOORS = [
  'src/cli/terminal.ts',
  'src/disk/git-home.ts',
  'src/platform/analysis/slither.ts',
  'src/platform/chain/node/anvil.ts',
  'src/platform/handlers/contracts/compiling.ts',
  'src/platform/platform.ts',
];

describe('the variables that Windlass itself uses', () => {
  test('hold every WINDLASS_ name in the sources, but those that are meant for plans', () => {
    const list = readFileSync(`${ROOT}/src/model/own-variables.ts`, 'utf8');
    const names = sources().flatMap(({ text }) => text.match(/\bWINDLASS_[A-Z_]*[A-Z]\b(?!…)/g) ?? []);
    const own = [...new Set(names)].filter((name) => !name.startsWith('WINDLASS_VAR'));
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter((name) => !list.includes(`'${name}'`))).toEqual([]);
  });

  test('are taken from the process in few places, by names that are listed', () => {
    const readers = sources().filter(({ text }) => /process\.env\b|env \} = process\b/.test(text));
    expect(readers.map(({ path }) => path).filter((path) => !DOORS.includes(path))).toEqual([]);
    const named = readers.flatMap(({ text }) =>
      [...text.matchAll(/(?:process\.)?env\[['"](\w+)['"]\]/g)].map((match) => match[1] ?? ''),
    );
    expect(named.filter((name) => !isOwnVariable(name))).toEqual([]);
    expect(named).toContain('NODE_ENV');
  });

  test.each([
    'WINDLASS_NEW_SECRET',
    'windlass_platform_kek',
    'GIT_ASKPASS',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'CI',
  ])('include %s, by its beginning or by name', (name) => {
    expect(isOwnVariable(name)).toBe(true);
  });

  test.each(['WINDLASS_VAR_CI', 'WINDLASS_VAR_WINDLASS_PLATFORM_KEK', 'AWS_SECRET_ACCESS_KEY'])(
    'do not include %s',
    (name) => {
      expect(isOwnVariable(name)).toBe(false);
    },
  );
});
