import { describe, expect, test } from 'vitest';
import type { Checked } from '../../src/model/diagnostic.js';
import type { Plan } from '../../src/model/plan.js';
import { MAX_PATTERN } from '../../src/plan/glob.js';
import { nearestName } from '../../src/plan/nearest.js';
import { MAX_PROBLEMS } from '../../src/plan/problems.js';
import { readRows } from '../../src/plan/rows.js';
import { solidityTokens } from '../../src/plan/solidity-lexer.js';
import { outlineOf } from '../../src/plan/solidity-outline.js';
import { readParameters } from '../../src/plan/solidity.js';
import { loadTemplates } from '../../src/plan/template.js';
import { guardYaml } from '../../src/plan/yaml-guard.js';
import { diagnosticsText } from '../../src/report/diagnostics.js';
import { cellsOf, fitCells, fitCellsEnd } from '../../src/report/width.js';
import { loadFixture } from './fixture.js';

const HEAD = 'windlass: 1\nname: hostile\n';
const load = (text: string): Promise<Checked<Plan>> => loadFixture({ text });
const codes = ({ diagnostics }: Checked<Plan>): ReadonlySet<string> =>
  new Set(diagnostics.map(({ code }) => code));

describe('a text that a parser would work at for long', () => {
  test.each([
    ['brackets that open', '['.repeat(50_000)],
    ['maps that open', '{a: '.repeat(50_000)],
    ['brackets that close', ']'.repeat(200_000)],
    ['lists on one line', '- '.repeat(100_000)],
    ['keys on one line', '? '.repeat(100_000)],
    ['anchors', '&a '.repeat(80_000)],
    ['tags', '!!a\n'.repeat(60_000)],
    ['commas', `a: [${','.repeat(200_000)}]`],
    ['colons', ':\n'.repeat(120_000)],
  ])('is left alone when the guard refuses: %s', async (_, text) => {
    const guarded = guardYaml(text);
    expect(guarded.parse).toBe(false);
    expect(guarded.problems.length).toBeLessThanOrEqual(100);
    expect((await load(text)).diagnostics.length).toBeLessThanOrEqual(100);
  });

  test('has its mistakes told up to a number, and the last says that there are more', async () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `walet${index}: 1`).join('\n');
    const { ok, diagnostics } = await load(`${HEAD}${keys}\n`);
    expect(ok).toBe(false);
    expect(diagnostics.length).toBe(MAX_PROBLEMS + 1);
    expect(diagnostics.at(-1)?.message).toContain('more');
  });

  test('is shown without taking its long lines apart', () => {
    const file = 'windlass.yaml';
    const text = `é${'['.repeat(200_000)}`;
    const range = { start: { line: 1, column: 40 }, end: { line: 1, column: 41 } };
    const shown = diagnosticsText(
      [{ code: 'PLAN_SYNTAX', severity: 'error', message: 'here', file, range }],
      new Map([[file, text]]),
      { colour: false },
    );
    expect(shown).toContain('1:40');
    expect(shown.length).toBeLessThan(500);
  });
});

describe('patterns', () => {
  const planOf = (sources: readonly string[]): string =>
    `${HEAD}projects: { p: { versions: { 1.0.0: { compiler: { solidity: v0.8.28 }, sources: ${JSON.stringify(sources)} } } } }\n`;

  test('have a length and a number', async () => {
    expect(codes(await load(planOf(['['.repeat(50_000)])))).toContain('PLAN_TOO_LARGE');
    expect(codes(await load(planOf([`${'*'.repeat(MAX_PATTERN)}.sol`])))).toContain('PLAN_TOO_LARGE');
    expect(codes(await load(planOf([`!${'{a,b}'.repeat(100)}`])))).toContain('PLAN_TOO_LARGE');
    expect(codes(await load(planOf(Array.from({ length: 600 }, () => '*'))))).toContain('PLAN_TOO_LARGE');
  });

  test('with a dozen of any folders are held against every file, and end', async () => {
    expect(codes(await load(planOf([`${'**/'.repeat(60)}x.none`])))).toEqual(new Set(['PLAN_NO_SOURCES']));
  });
});

describe('a Solidity source', () => {
  const tokensOf = (source: string): number => [...solidityTokens(source)].length;

  test('is taken apart in one go, whatever is not closed in it', () => {
    expect(tokensOf('/* '.repeat(500_000))).toBe(1);
    expect(tokensOf('"\\'.repeat(500_000))).toBe(1);
    expect(tokensOf(`"${'a'.repeat(1_000_000)}"`)).toBe(1);
    expect(tokensOf(`"${'\\"'.repeat(500_000)}\nword`)).toBe(2);
    expect(outlineOf('import;'.repeat(100_000)).imports).toEqual([]);
    expect(outlineOf('contract a{}'.repeat(50_000)).contracts.length).toBe(50_000);
    expect(outlineOf(`${'('.repeat(500_000)}contract A {}`).contracts).toEqual([]);
  });

  test.each(['uint[a?', 'uint[1+', 'a{', '(', 'mapping('])(
    'has parameters that the parser is not given when they are long or deep: %s',
    async (part) => {
      expect(await readParameters(part.repeat(Math.floor(50_000 / part.length)))).toBeUndefined();
    },
  );
});

describe('rows', () => {
  const faultsOf = async (text: string, format: 'csv' | 'ndjson'): Promise<number | undefined> => {
    const read = await readRows(Buffer.from(text), format);
    return read.ok ? undefined : read.faults.length;
  };

  test('are refused with few faults, however wide, long or uneven', async () => {
    expect(await faultsOf(`a,b\n"${'x'.repeat(1_000_000)}`, 'csv')).toBe(1);
    expect(await faultsOf(`${Array.from({ length: 3000 }, (_, at) => `c${at}`).join(',')}\n`, 'csv')).toBe(1);
    expect(await faultsOf(`a,b\n${'1\n'.repeat(100_000)}`, 'csv')).toBe(1000);
    expect(await faultsOf('['.repeat(1_000_000), 'ndjson')).toBe(1);
    const wide = Array.from({ length: 5000 }, (_, at) => `{"k${at}":1}`).join('\n');
    expect(await faultsOf(wide, 'ndjson')).toBe(1);
    expect(await faultsOf('x\n'.repeat(100_000), 'ndjson')).toBe(1000);
  });
});

test('templates that nest are refused', async () => {
  const read = await loadTemplates();
  expect(read('{{#each a}}'.repeat(20_000))).toMatchObject({ ok: false });
  expect(read(`{{"a"}}${'x'.repeat(100_000)}`)).toMatchObject({ ok: false });
  const many = read('{{"a"}}\n'.repeat(1000));
  expect(many.ok && many.pieces.length).toBe(2000);
});

test('a circle of very many resources is told by its two ends', async () => {
  const count = 2000;
  const contracts = Array.from(
    { length: count },
    (_, at) => `R${at}: { contract: Token, params: { registry_: <R${(at + 1) % count}_ADDRESS>, cap: 1 } }`,
  ).join(', ');
  const read = await load(
    `${HEAD}wallets: { w: { address: "0x52908400098527886E0F7030069857D2E4169EE7" } }
projects: { p: { versions: { 1.0.0: { compiler: { solidity: v0.8.28 }, sources: [contracts/core/*.sol, contracts/lib/*.sol] } } } }
deployments: { d: { version: p@1.0.0, wallet: { type: organisation, use: w }, contracts: { ${contracts} } } }\n`,
  );
  const cycle = read.diagnostics.find(({ code }) => code === 'PLAN_CYCLE');
  expect(cycle?.message).toContain(`${count - 20} more`);
  expect(cycle?.message.length).toBeLessThan(2000);
});

test('names are compared while they are short and few', () => {
  expect(nearestName('b'.repeat(100_000), ['a'.repeat(100_000)])).toBeUndefined();
  expect(nearestName('tokem', ['x'.repeat(10_000), 'token'])).toBe('token');
});

test('a long text has its width counted piece by piece', () => {
  const text = `é${'漢['.repeat(50_000)}`;
  expect(cellsOf(text)).toBe(1 + 3 * 50_000);
  expect(cellsOf(fitCells(text, 40))).toBeLessThanOrEqual(40);
  expect(cellsOf(fitCellsEnd(text, 40))).toBeLessThanOrEqual(40);
});
