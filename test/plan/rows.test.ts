import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellSpans } from '../../src/plan/cells.js';
import { readRows } from '../../src/plan/rows.js';

const cell = fc.string({
  unit: fc.constantFrom('a', 'é', ' ', ',', ';', '"', '\n', '\r\n', '\t'),
  maxLength: 6,
});
const table = fc
  .tuple(fc.integer({ min: 2, max: 4 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .chain(([width, lineEnd, hasMark]) =>
    fc.tuple(
      fc.constant({ width, lineEnd, hasMark }),
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
    ),
  );

function quoted(text: string): string {
  return /[",\r\n;\t]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
}

test('cells come out as they went in, and each is found again where it stands', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ([{ width, lineEnd, hasMark }, rows]) => {
      const header = Array.from({ length: width }, (_, at) => `c${at}`);
      const records = [header, ...rows];
      const text =
        (hasMark ? '\uFEFF' : '') + records.map((row) => row.map(quoted).join(',')).join(lineEnd) + lineEnd;
      const reading = await readRows(Buffer.from(text), 'csv');
      if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
      expect(reading.rows.columns).toEqual(header);
      expect(reading.rows.rows).toEqual(rows);
      const spans = cellSpans(text, ',');
      const found = spans.map((record) =>
        record.map(({ start, end }) => text.slice(start, end).replaceAll('""', '"')),
      );
      expect(found).toEqual(records);
    }),
  );
});

describe('rows', () => {
  test('may be parted by semicolons or tabs, as spreadsheets write them', async () => {
    for (const delimiter of [';', '\t']) {
      const reading = await readRows(Buffer.from(`id${delimiter}name\r\n1${delimiter}"a, b"\r\n`), 'csv');
      expect(reading).toMatchObject({ ok: true, rows: { columns: ['id', 'name'], rows: [['1', 'a, b']] } });
    }
  });

  test('of a file with a header only are none; without a header they are refused', async () => {
    expect(await readRows(Buffer.from('id,name\n'), 'csv')).toMatchObject({ ok: true, rows: { rows: [] } });
    expect(await readRows(Buffer.from(''), 'csv')).toMatchObject({ ok: false });
  });

  test('of NDJSON keep numbers that stay exact and refuse the rest', async () => {
    const good = await readRows(Buffer.from('{"id":1,"ok":true,"none":null,"__proto__":"x"}\n'), 'ndjson');
    expect(good).toMatchObject({ ok: true, rows: { rows: [['1', 'true', '', 'x']] } });
    for (const bad of ['{"id":1.10}', '{"id":90071992547409930}', '{"id":{}}', '[1]', '"x"', '{']) {
      expect(await readRows(Buffer.from(bad), 'ndjson')).toMatchObject({ ok: false });
    }
    expect(await readRows(Buffer.from('{"a":"1"}\n{"b":"2"}'), 'ndjson')).toMatchObject({ ok: false });
  });
});
