import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { textMember } from '../../src/model/json.js';
import { OPERATIONS } from '../support/openapi.js';
import { componentFields, operationFields, type Field } from '../support/openapi-fields.js';

const PAGE = fileURLToPath(new URL('../../src/platform/PARITY.md', import.meta.url));

/** The test that pins a field for which no other is named. */
const EVERY_FIELD =
  'openapi-walk.test.ts: every documented operation succeeds, and every documented field is sent or seen';

const SOURCES = ['interface', 'documentation', 'observation', 'assumption'];

const FIELDS: readonly Field[] = [...componentFields(), ...OPERATIONS.flatMap(operationFields)];

const ENDPOINT_ROWS = OPERATIONS.map(({ id, method, path, definition }) => [
  `\`${id}\``,
  `\`${method} ${path}\``,
  String((definition['tags'] as readonly string[])[0]),
  textMember(definition, 'x-source') ?? '',
  textMember(definition, 'x-test') ?? '',
]);

/** A Markdown table whose columns are aligned, as the formatter writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function page(): string {
  const [prose = ''] = readFileSync(PAGE, 'utf8').split('## Endpoints');
  const fields = FIELDS.map((field) => [
    `\`${field.label}\``,
    field.source,
    field.unseen === undefined ? (field.test ?? EVERY_FIELD) : `never seen: ${field.unseen}`,
  ]);
  return [
    `${prose}## Endpoints\n`,
    `${table(['operation', 'request', 'profile', 'rests on', 'pinned by'], ENDPOINT_ROWS)}\n`,
    '## Fields\n',
    `${table(['field', 'rests on', 'pinned by'], fields)}\n`,
  ].join('\n');
}

/** Rows of the tables that people write. */
const CHOICES = (readFileSync(PAGE, 'utf8').split('## Endpoints')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| (?!-|choice)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('the parity page', () => {
  it('pins every choice by a test that exists, and names switches that the platform has', () => {
    expect(CHOICES.length).toBeGreaterThan(15);
    expect(CHOICES.map((row) => row.at(-2) ?? '').filter((test) => !isTest(test))).toEqual([]);
    const options = ['options.ts', 'admission/limits.ts'].map((file) =>
      readFileSync(new URL(`../../src/platform/${file}`, import.meta.url), 'utf8'),
    );
    const switches = CHOICES.filter((row) => row.length === 5).map(
      (row) => /`([\w.]+)`/.exec(row[2] ?? '')?.[1] ?? '',
    );
    expect(switches.length).toBeGreaterThan(5);
    const unknown = switches.filter(
      (name) => !new RegExp(`readonly ${name.split('.').at(-1) ?? ''}\\??:`).test(options.join('')),
    );
    expect(unknown).toEqual([]);
  });

  it('has a row for every operation and every field of the document', async () => {
    // `npx vitest run test/platform/parity.test.ts -u` writes it anew.
    await expect(page()).toMatchFileSnapshot(PAGE);
  });

  it('rests each row on a source that there is', () => {
    const sources = [...ENDPOINT_ROWS.map((row) => row[3]), ...FIELDS.map(({ source }) => source)];
    expect(sources.filter((source) => !SOURCES.includes(source ?? ''))).toEqual([]);
  });

  it('names tests that exist', () => {
    const named = [
      EVERY_FIELD,
      ...ENDPOINT_ROWS.map((row) => row[4] ?? ''),
      ...FIELDS.map(({ test }) => test),
    ];
    const missing = [...new Set(named)].filter((test) => test !== undefined && !isTest(test));
    expect(missing).toEqual([]);
  });
});

function isTest(name: string): boolean {
  const [file = '', ...title] = name.split(': ');
  const source = readFileSync(new URL(file, import.meta.url), 'utf8');
  return ["'", '"', '`'].some((quote) => source.includes(`(${quote}${title.join(': ')}${quote},`));
}
