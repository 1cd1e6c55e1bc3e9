import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIONS, type Change } from '../../src/model/change.js';
import { changeSetHtml } from '../../src/report/change-set-html.js';
import { changeSetMarkdown, COMMENT_LIMITS, commentMarker } from '../../src/report/change-set-markdown.js';
import type { RowSample, VersionSources } from '../../src/report/page-material.js';
import { certificates, change, changeSet, HOSTILE } from './samples.js';

const anyText = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.constantFrom(...HOSTILE));

const anyChange: fc.Arbitrary<Change> = fc
  .record({
    name: anyText,
    reason: anyText,
    action: fc.constantFrom(...ACTIONS),
    irreversible: fc.boolean(),
    fields: fc.array(fc.record({ path: anyText, before: anyText, after: anyText }), { maxLength: 5 }),
    unreadable: fc.option(anyText, { nil: undefined }),
  })
  .map(({ name, unreadable, ...over }) =>
    change(`contract.${name}`, {
      ...over,
      drift: over.fields,
      remote: unreadable === undefined ? 'present' : 'unreadable',
      ...(unreadable !== undefined && { unreadable }),
    }),
  );

describe('a change set as a comment', () => {
  it('puts what cannot be undone before everything else', () => {
    const set = changeSet([change('tag.v1'), ...certificates(25)]);
    expect(changeSetMarkdown(set, { next: 'windlass apply x' })).toMatchInlineSnapshot(`
      "<!-- windlass env=test -->
      ### Windlass: <code>campus-release</code> on <code>test</code>

      **26 resources: 26 to create; 26 changes in 26 steps; 25 changes cannot be undone.**

      <code>windlass.yaml</code> · <code>sha256:00</code>

      > [!WARNING]
      > **These cannot be undone**
      >
      > - **create** <code>certificate.class-of-2026</code> (25 certificates)

      | action | resource | reason |
      |---|---|---|
      | + create | <code>tag.v1</code> | not on the platform yet |
      | + create | <code>certificate.class-of-2026</code> | 25 certificates (S-1001, S-1002, S-1003, …, S-1025); not on the platform yet |

      Apply exactly this: <code>windlass apply x</code>"
    `);
  });

  it('never passes the limits, and always keeps the marker, the verdict and the irreversible changes', () => {
    fc.assert(
      fc.property(
        fc.array(anyChange, { maxLength: 20 }),
        fc.integer({ min: 1, max: 400 }),
        anyText,
        (some, times, name) => {
          const many = Array.from({ length: times }, () => some).flat();
          const set = changeSet([...many, ...certificates(3)], {
            environment: name,
            plan: { name, file: name, digest: 'sha256:00' },
            notices: many.map(({ reason }) => reason),
          });
          const text = changeSetMarkdown(set);
          expect(text.length).toBeLessThanOrEqual(COMMENT_LIMITS.characters);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(COMMENT_LIMITS.bytes);
          expect(text.startsWith('<!-- windlass env=')).toBe(true);
          expect(text).toContain('These cannot be undone');
        },
      ),
      { numRuns: 40 },
    );
  });

  it('says which sections it left out', () => {
    const fields = Array.from({ length: 20 }, (_, index) => ({
      path: `field${index}`,
      before: 'b'.repeat(90),
      after: 'a'.repeat(90),
    }));
    const changes = Array.from({ length: 60 }, (_, index) =>
      change(`contract.core.A${index}`, { action: 'update', fields }),
    );
    const text = changeSetMarkdown(changeSet(changes));
    expect(text).toContain('Left out because comments are limited: details.');
    expect(text).toContain('| ~ update |');
  });

  it('shows where a change comes from, and what lock, platform and plan say of it', () => {
    const text = changeSetMarkdown(
      changeSet([
        change('contract.core.Token', {
          action: 'replace',
          irreversible: true,
          remote: 'present',
          locked: { address: '0xOLD' },
          trail: ['version.core@2.0.0', 'contract.core.Registry'],
          types: { cap: 'uint256' },
          fields: [{ path: 'params.cap', before: '1000', after: '2000' }],
        }),
      ]),
    );
    expect(text).toContain(
      '> - **replace** <code>contract.core.Token</code>; <code>0xOLD</code> stays as it is',
    );
    expect(text).toContain('because version.core');
    expect(text).toContain('| <code>cap (uint256)</code> | 1000 | has no read for it | 2000 |');
  });

  it('shows edited rows of a batch one by one', () => {
    const fields = [{ path: 'name', before: 'old', after: 'new' }];
    const rows = certificates(3, { action: 'blocked', fields, locked: { tokenId: '1' } });
    expect(changeSetMarkdown(changeSet(rows)).match(/\| row <code>S-\d+<\/code> \|/g)).toHaveLength(3);
  });

  it('shows what differs in the sources, in a fence that no source can close', () => {
    const before = 'contract A {\n  ``` \n  uint a;\n}\n';
    const files = [
      { filename: 'A.sol', before, after: before.replace('uint a', 'uint b') },
      { filename: 'Same.sol', before: 'x', after: 'x' },
      { filename: 'New.sol', after: HOSTILE.join('\n') },
    ];
    const version = change('version.core@2.0.0', { follows: { id: 'version.core@1.0.0', fields: [] } });
    const of = (sources: VersionSources): string =>
      changeSetMarkdown(changeSet([version]), { sources: new Map([[version.id, sources]]) });
    const text = of({ base: 'version.core@1.0.0', files });
    expect(text).toContain(
      '````diff\n--- A.sol\n+++ A.sol\n@@ -1,4 +1,4 @@\n contract A {\n   ``` \n-  uint a;\n+  uint b;\n }\n--- /dev/null\n+++ New.sol\n',
    );
    expect(text).not.toContain('Same.sol');
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(of({ base: 'version.core@1.0.0', missing: 'not at hand', files })).not.toContain('```diff');
    expect(of({ files })).not.toContain('```diff');
  });

  it('leaves the sources out before what happens, and says so', () => {
    const after = Array.from({ length: 390 }, (_, line) => `${line} ${'é'.repeat(200)}`).join('\n');
    const sources = new Map([
      ['version.core@2.0.0', { base: 'version.core@1.0.0', files: [{ filename: 'A.sol', after }] }],
    ] as const);
    const text = changeSetMarkdown(changeSet([change('version.core@2.0.0')]), { sources });
    expect(text).not.toContain('```diff');
    expect(text).toContain('Left out because comments are limited: source differences');
    expect(text).toContain('| + create |');
  });

  it('says at each node of the graph what happens to it', () => {
    const set = changeSet([
      change('contract.core.A', { action: 'replace' }),
      change('contract.core.B', { action: 'none', dependsOn: ['contract.core.A'] }),
    ]);
    expect(changeSetMarkdown(set)).toContain('n0["#177; contract.core.A"]\n  n1["contract.core.B"]');
  });

  it('draws the graph while it can be read', () => {
    const chain = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        change(`tag.t${index}`, index === 0 ? {} : { dependsOn: [`tag.t${index - 1}`] }),
      );
    expect(changeSetMarkdown(changeSet(chain(3)))).toContain('```mermaid\nflowchart LR');
    expect(changeSetMarkdown(changeSet(chain(60)))).not.toContain('mermaid');
  });

  it('is found again by a marker that no environment name can close', () => {
    expect(commentMarker('a--><b>')).toBe('<!-- windlass env=a%2D%2D%3E%3Cb%3E -->');
  });

  it('lets no name be markup, mention or link', () => {
    for (const name of HOSTILE) {
      const text = changeSetMarkdown(
        changeSet(
          [
            change(`tag.${name}`, {
              reason: name,
              fix: name,
              action: 'blocked',
              trail: [`tag.${name}`],
              fields: [{ path: name, before: name, after: name }],
              drift: [{ path: name, before: name, after: name }],
              locked: { address: name },
              types: { [name]: name },
            }),
            change('tag.x', { dependsOn: [`tag.${name}`], inputs: { params: { [name]: name } } }),
          ],
          { notices: [name] },
        ),
      );
      expect(text).not.toMatch(/<script|<img|@team|\]\(javascript|`rm|[^\P{Cc}\n]|\p{Cf}/u);
      expect(text.match(/<!--/g)).toHaveLength(1);
    }
  });
});

function hostileRow(name: string): RowSample {
  const image = { path: name, sizeBytes: 1, dataUri: `data:image/png;base64,"${name}` };
  return {
    id: `certificate.${name}`,
    name,
    description: name,
    to: name,
    attributes: [{ trait: name, value: name }],
    image,
  };
}

describe('a change set as a page', () => {
  it('loads nothing and runs nothing', () => {
    const page = changeSetHtml(changeSet(certificates(25)));
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|src=|href="(?!#)|url\(| style=/);
  });

  it('shows names as text, whatever they are', () => {
    for (const name of HOSTILE) {
      const page = changeSetHtml(
        changeSet(
          [
            change(`tag.${name}`, {
              reason: name,
              inputs: { [name]: name },
              fields: [{ path: name, before: name, after: name }],
              drift: [{ path: name, before: name }],
              trail: [`tag.${name}`],
              locked: { address: name },
              remote: 'unreadable',
              unreadable: name,
            }),
            change('version.core@2.0.0'),
          ],
          { environment: name, notices: [name] },
        ),
        {
          next: name,
          origin: { engine: name, target: name, lineage: name, files: { [name]: 'sha256:00' } },
          sources: new Map([
            [
              'version.core@2.0.0',
              { base: `version.${name}`, files: [{ filename: name, before: name, after: `${name}!` }] },
            ],
          ]),
          rows: new Map([[name, [hostileRow(name)]]]),
        },
      );
      expect(page).not.toMatch(/<\/script>|<img src=x|<!-- windlass|[^\P{Cc}\n]|\p{Cf}/u);
    }
  });

  it('says what is blocked, and the way out, before the changes', () => {
    const page = changeSetHtml(
      changeSet([change('tag.a'), change('tag.b', { action: 'blocked', reason: 'taken', fix: 'wait' })]),
    );
    const at = page.indexOf('Blocked: nothing is applied');
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThan(page.indexOf('id="changes"'));
    expect(changeSetHtml(changeSet([change('tag.a')]))).not.toContain('Blocked: nothing');
  });

  it('stays small for a large batch', () => {
    expect(changeSetHtml(changeSet(certificates(20_000))).length).toBeLessThan(20_000);
  });
});
