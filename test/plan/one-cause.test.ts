import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planFilesIn } from '../../src/disk/sources.js';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import { loadPlan } from '../../src/plan/load.js';
import { underlined } from './fixture.js';

const CAMPUS = fileURLToPath(new URL('../../examples/campus/', import.meta.url));

/** What is found in the campus plan after one edit. */
async function afterEdit(
  from: string | RegExp,
  to: string,
): Promise<readonly (readonly [string, string, Diagnostic])[]> {
  const whole = await readFile(join(CAMPUS, 'windlass.yaml'), 'utf8');
  const text = whole.replace(from, to);
  expect(text).not.toBe(whole);
  const files = planFilesIn(CAMPUS);
  const checked = await loadPlan({ file: 'windlass.yaml', text, environment: 'local', variables: {}, files });
  return checked.diagnostics.map((found) => [found.code, underlined(text, found), found]);
}

const REGISTRAR = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

describe('one cause is one diagnostic', () => {
  it.each([
    [
      'a wrong digit of an address that is used everywhere',
      `'${REGISTRAR}'`,
      `'${REGISTRAR.slice(0, -1)}7'`,
      'PLAN_ADDRESS',
    ],
    ['a wrong letter case of it', `'${REGISTRAR}'`, `'${REGISTRAR.replace('Fd6', 'fd6')}'`, 'PLAN_ADDRESS'],
    ['half of it', `'${REGISTRAR}'`, `'${REGISTRAR.slice(0, 20)}'`, 'PLAN_ADDRESS'],
    [
      'an image template that fits no row',
      /image: .*/,
      "image: 'base-{{student_id}}.png'",
      'PLAN_FILE_MISSING',
    ],
    [
      'an image template with another column',
      /image: .*/,
      "image: 'images/{{programme}}.png'",
      'PLAN_FILE_MISSING',
    ],
    [
      'an image template with an unknown column',
      /image: .*/,
      "image: 'images/{{stud_id}}.png'",
      'PLAN_TEMPLATE',
    ],
    ['a base image that is missing', /image: .*/, "image: 'images/base.png'", 'PLAN_FILE_MISSING'],
    [
      'a receiver that is a name in every row',
      /to: '\{\{wallet\}\}'/,
      "to: '{{full_name}}'",
      'PLAN_UNKNOWN_REFERENCE',
    ],
    ['a key that is no column', 'key: student_id', 'key: number', 'PLAN_ROW_KEY'],
    ['rows that are missing', /rows: .*/, 'rows: data/none.csv', 'PLAN_FILE_MISSING'],
    ['a supply that is too small', 'max_supply: 500', 'max_supply: 5', 'PLAN_MAX_SUPPLY'],
    ['a number that is none', "'250000000000000000'", "'a quarter'", 'PLAN_PARAM_TYPE'],
  ])('%s', async (_, from, to, code) => {
    const found = await afterEdit(from, to);
    expect(found.map(([one]) => one)).toEqual([code]);
    expect(found[0]?.[2].file).toBe('windlass.yaml');
  });

  it('stands at the template, with how many rows it concerns and the first of them', async () => {
    const [[, marked, { message }] = ['', '', { message: '' }]] = await afterEdit(
      /image: .*/,
      "image: 'base-{{student_id}}.png'",
    );
    expect(marked).toBe("'base-{{student_id}}.png'");
    expect(message).toContain('25 of 25 rows: data/class-of-2026.csv, lines 2, 3, 4, …');
  });
});

describe('a mistake of some rows', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windlass-rows-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const plan = (rows: string) => `windlass: 1
name: rows
wallets: { office: { address: '${REGISTRAR}' } }
certificates:
  contracts: { d: { deployer: office, owner: office, name: D, symbol: D, max_supply: 0 } }
  batches:
    b: { contract: d, rows: ${rows}, key: id, to: '{{to}}', name: n, description: '-', image: one.png }
`;

  async function rowsWith(wrong: number, of: number): Promise<readonly Diagnostic[]> {
    const lines = Array.from({ length: of }, (_, at) => `${at},${at < wrong ? 'nobody' : 'office'}`);
    await writeFile(join(folder, 'rows.csv'), ['id,to', ...lines, ''].join('\n'));
    await writeFile(join(folder, 'one.png'), await readFile(join(CAMPUS, 'images/S-1001.png')));
    const input = { file: 'windlass.yaml', text: plan('rows.csv'), environment: 'local', variables: {} };
    return (await loadPlan({ ...input, files: planFilesIn(folder) })).diagnostics;
  }

  it.each([
    [1, 30, 1, 0],
    [10, 30, 10, 0],
    [14, 30, 10, 1],
    [16, 30, 0, 1],
    [1, 1, 1, 0],
  ])('%i of %i: %i at their cells, %i at the template', async (wrong, of, cells, templates) => {
    const found = await rowsWith(wrong, of);
    expect(found.filter(({ file }) => file === 'rows.csv')).toHaveLength(cells);
    const shared = found.filter(({ file }) => file === 'windlass.yaml');
    expect(shared).toHaveLength(templates);
    for (const { message } of shared) expect(message).toContain(`${wrong} of ${of} rows`);
  });
});
