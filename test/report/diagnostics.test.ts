import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import { githubAnnotations, gitlabCodeQuality, sarifLog } from '../../src/report/annotations.js';
import { diagnosticsJson, diagnosticsText } from '../../src/report/diagnostics.js';

function mistake(over: Partial<Diagnostic> = {}): Diagnostic {
  return {
    code: 'PLAN_UNKNOWN_REFERENCE',
    severity: 'error',
    message: 'No contract is called Registy.',
    file: 'windlass.yaml',
    range: { start: { line: 2, column: 20 }, end: { line: 2, column: 37 } },
    fix: 'Did you mean <Registry_ADDRESS>?',
    ...over,
  };
}

const source = 'contracts:\n  Token: { params: <Registy_ADDRESS> }\n\tName: 学位証書 x\n';
const sources = new Map([['windlass.yaml', source]]);

describe('diagnostics as text', () => {
  it('show place, code, reason, excerpt, underline and fix', () => {
    expect(diagnosticsText([mistake()], sources, { colour: false })).toMatchInlineSnapshot(`
      "windlass.yaml:2:20: error PLAN_UNKNOWN_REFERENCE: No contract is called Registy.
        2 |   Token: { params: <Registy_ADDRESS> }
          |                    ^^^^^^^^^^^^^^^^^
        fix: Did you mean <Registry_ADDRESS>?

      1 error"
    `);
  });

  it('underline as many cells as tabs and wide characters take', () => {
    const range = { start: { line: 3, column: 8 }, end: { line: 3, column: 12 } };
    const text = diagnosticsText([mistake({ range })], sources, { colour: false });
    expect(text.split('\n').slice(1, 3)).toEqual(['  3 |   Name: 学位証書 x', '    |         ^^^^^^^^']);
  });

  it('show of a row the marked cell only, and nothing where all of it is marked: rows are about people', () => {
    const rows = new Map([['rows.csv', 'id,mail,to\nS-1,ann@x.example,0x12\n']]);
    const at = (line: number, from: number, to: number): string => {
      const range = { start: { line, column: from }, end: { line, column: to } };
      return diagnosticsText([mistake({ file: 'rows.csv', range })], rows, { colour: false });
    };
    expect(at(2, 19, 23)).toContain('  2 | •••,•••••••••••••,0x12\n    |                   ^^^^');
    expect(at(2, 1, 23)).not.toContain('ann');
    expect(at(1, 4, 8)).toContain('id,mail,to');
  });

  it('underline at least one cell, also past the end of a line', () => {
    const range = { start: { line: 1, column: 90 }, end: { line: 1, column: 90 } };
    expect(diagnosticsText([mistake({ range })], sources, { colour: false })).toContain('|           ^');
  });

  it('cut long lines around the marked place', () => {
    const long = new Map([['windlass.yaml', `\n${'a'.repeat(500)}BAD${'z'.repeat(500)}`]]);
    const range = { start: { line: 2, column: 501 }, end: { line: 2, column: 504 } };
    const [, excerpt, underline] = diagnosticsText([mistake({ range })], long, { colour: false }).split('\n');
    expect(excerpt?.length).toBeLessThan(120);
    expect(excerpt?.slice(underline?.indexOf('^'), (underline?.lastIndexOf('^') ?? 0) + 1)).toBe('BAD');
  });

  it('come in reading order, once each, without an excerpt where the file is not at hand', () => {
    const other = mistake({ file: 'data/rows.csv', severity: 'warning' });
    const text = diagnosticsText([mistake(), other, mistake()], sources, { colour: false });
    expect(text.indexOf('data/rows.csv')).toBeLessThan(text.indexOf('windlass.yaml'));
    expect(text).toMatch(/1 error, 1 warning$/);
  });

  it('let no control or bidirectional character of a file through', () => {
    const evil = '\u001b[2Jroot\u202Egpj.exe\u0007';
    const text = diagnosticsText(
      [mistake({ message: evil, file: evil, fix: evil })],
      new Map([[evil, `x\n${evil}`]]),
      { colour: false },
    );
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(text).toContain('\\u{1B}[2Jroot\\u{202E}gpj.exe');
  });
});

describe('diagnostics for machines', () => {
  it('have the shape of the design', () => {
    expect(diagnosticsJson([mistake()])).toEqual({
      diagnostics: [
        {
          code: 'PLAN_UNKNOWN_REFERENCE',
          severity: 'error',
          message: 'No contract is called Registy.',
          file: 'windlass.yaml',
          range: { start: { line: 2, column: 20 }, end: { line: 2, column: 37 } },
          fix: 'Did you mean <Registry_ADDRESS>?',
        },
      ],
    });
  });

  it('are SARIF results at the same place', () => {
    expect(sarifLog([mistake({ file: 'plans/a b.yaml' })], '1.2.3')).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'Windlass', rules: [{ id: 'PLAN_UNKNOWN_REFERENCE' }] } },
          results: [
            {
              ruleId: 'PLAN_UNKNOWN_REFERENCE',
              ruleIndex: 0,
              level: 'error',
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'plans/a%20b.yaml' },
                    region: { startLine: 2, startColumn: 20, endLine: 2, endColumn: 37 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('are GitHub annotations that no name can break out of', () => {
    const line = githubAnnotations([mistake({ file: 'a,b:c%.yaml', message: '50%\n::error::x' })]);
    expect(line).toBe(
      '::error file=a%2Cb%3Ac%25.yaml,line=2,endLine=2,col=20,endColumn=37,title=PLAN_UNKNOWN_REFERENCE::50%25\\n::error::x Did you mean <Registry_ADDRESS>?',
    );
  });

  it('are at most ten annotations, the last one counting the rest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), (count) => {
        const many = Array.from({ length: count }, (_, index) => mistake({ message: `mistake ${index}` }));
        const lines = githubAnnotations(many).split('\n').filter(Boolean);
        expect(lines.length).toBe(Math.min(10, count));
        if (count > 10) expect(lines[9]).toContain(`and ${count - 9} more`);
      }),
    );
  });
});

describe('diagnostics for a GitLab merge request', () => {
  it('stand at their lines, each with a fingerprint that other lines do not change', () => {
    const [first] = gitlabCodeQuality([mistake({ file: 'windlass.yaml' })]) as readonly Record<
      string,
      unknown
    >[];
    const moved = mistake({
      file: 'windlass.yaml',
      range: { start: { line: 90, column: 1 }, end: { line: 90, column: 2 } },
    });
    const [second] = gitlabCodeQuality([moved]) as readonly Record<string, unknown>[];
    expect(first).toMatchObject({ severity: 'critical', location: { path: 'windlass.yaml' } });
    expect(second).toMatchObject({ location: { lines: { begin: 90, end: 90 } } });
    expect(second?.['fingerprint']).toBe(first?.['fingerprint']);
  });

  it('are told apart although they read the same', () => {
    const at = (line: number) => mistake({ range: { start: { line, column: 1 }, end: { line, column: 2 } } });
    const issues = gitlabCodeQuality([at(1), at(2)]) as readonly Record<string, unknown>[];
    expect(new Set(issues.map((issue) => issue['fingerprint'])).size).toBe(2);
  });
});
