import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flattenSources, type SourceText } from '../../src/plan/flatten.js';
import { outlineOf } from '../../src/plan/solidity-outline.js';

function source(path: string, text: string): SourceText {
  return { path, text, imports: outlineOf(text).imports };
}

const folder = fc.constantFrom(
  'contracts',
  'contracts/a',
  'contracts/a/deep',
  'contracts/b',
  'vendor/pkg/src',
  '',
);
const file = fc.constantFrom(
  'Token.sol',
  'token.sol',
  'Base.sol',
  'IToken.sol',
  'a_Token.sol',
  'contracts_a_Token.sol',
);
const paths = fc.uniqueArray(
  fc.tuple(folder, file).map(([at, name]) => (at === '' ? name : `${at}/${name}`)),
  { minLength: 1, maxLength: 14 },
);

function relative(from: string, to: string): string {
  const up = from
    .split('/')
    .slice(0, -1)
    .map(() => '..');
  return up.length === 0 ? `./${to}` : [...up, to].join('/');
}

const FORMS = [
  (path: string) => `import "${path}";`,
  (path: string) => `import {A as B, C} from '${path}' ;`,
  (path: string) => `import * as D from /* "./not.sol" */ "${path}";`,
  (path: string) => `import "${path}" as E;`,
];

test('every import leads to the same file after flattening, by its flat name', () => {
  const graph = paths.chain((all) =>
    fc.tuple(
      fc.constant(all),
      fc.array(fc.tuple(fc.nat(all.length - 1), fc.nat(all.length - 1), fc.nat(3), fc.boolean()), {
        maxLength: 25,
      }),
    ),
  );
  fc.assert(
    fc.property(graph, ([all, links]) => {
      const sources = all.map((path, at) => {
        const imports = links
          .filter(([from]) => from === at)
          .map(([, to, form, isRelative]) => {
            const target = all[to] ?? '';
            return FORMS[form]?.(isRelative ? relative(path, target) : target);
          });
        return source(
          path,
          `// ${path}\n${imports.join('\n')}\ncontract C${at} { string s = "import './x.sol';"; }`,
        );
      });
      const { sources: flat, unresolved } = flattenSources(sources, []);
      const names = flat.map(({ filename }) => filename.toLowerCase());
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => name.includes('/'))).toEqual([]);
      expect(unresolved).toEqual([]);
      for (const [at, { text }] of flat.entries()) {
        const before = links.filter(([from]) => from === at);
        for (const [index, found] of outlineOf(text).imports.entries()) {
          const target = flat.find(
            ({ filename }) => found.path === `./${filename}` || found.path === filename,
          );
          const isExact = before[index]?.[3] === true;
          if (isExact) expect(target?.path).toBe(all[before[index]?.[1] ?? -1]);
          else expect(target).toBeDefined();
        }
        expect(text).toContain(`contract C${at} { string s = "import './x.sol';"; }`);
      }
    }),
  );
});

describe('flattening', () => {
  test('leaves a flat folder as it is, whichever way its files name one another', () => {
    const sources = [
      source('contracts/A.sol', 'import "./B.sol";'),
      source('contracts/B.sol', 'import "A.sol";'),
    ];
    const { sources: flat } = flattenSources(sources, []);
    expect(flat.map(({ filename, isRewritten }) => [filename, isRewritten])).toEqual([
      ['A.sol', false],
      ['B.sol', false],
    ]);
  });

  test('changes nothing but the literals of imports', () => {
    const text = '\uFEFF// ünïcode\r\nimport   "../lib/A.sol"  ;\r\n\tcontract B is A {}\r\n';
    const { sources: flat } = flattenSources([source('lib/A.sol', ''), source('x/B.sol', text)], []);
    expect(flat[1]?.text).toBe(text.replace('"../lib/A.sol"', '"./A.sol"'));
  });

  test('resolves paths from any folder above, as published packages write them', () => {
    const sources = [
      source('vendor/pkg/contracts/a/A.sol', 'import "contracts/b/B.sol";'),
      source('vendor/pkg/contracts/b/B.sol', ''),
    ];
    expect(flattenSources(sources, []).sources[0]?.text).toBe('import "./B.sol";');
  });

  test('finds the copy of a package among the sources', () => {
    const text = 'import "@acme/kit/A.sol";';
    const copy = source('node_modules/@acme/kit/A.sol', '');
    expect(flattenSources([source('c/B.sol', text), copy], []).sources[0]?.text).toBe('import "./A.sol";');
    const two = [source('c/B.sol', text), copy, source('old/@acme/kit/A.sol', '')];
    expect(flattenSources(two, []).unresolved).toHaveLength(1);
  });

  test('leaves packages alone, and tells what leads nowhere', () => {
    const text =
      'import "@openzeppelin/contracts/token/ERC20/ERC20.sol";\nimport "solmate/A.sol";\nimport "../../../etc/passwd";';
    const { sources, unresolved } = flattenSources([source('c/A.sol', text)], ['@openzeppelin/contracts']);
    expect(sources[0]?.isRewritten).toBe(false);
    expect(unresolved.map(({ target }) => target)).toEqual(['solmate/A.sol', '../../../etc/passwd']);
  });
});
