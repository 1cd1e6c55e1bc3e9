import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importsIn, sourceName } from '../../src/build/imports.js';

describe('the imports of a source', () => {
  it('are found in every form', () => {
    const text = `pragma solidity ^0.8.0; import "a/A.sol"; import 'b/B.sol' as B;
      import {C, D as E} from "c/C.sol"; import * as F from 'f/F.sol'; /* x */ import/**/"g/G.sol";
      contract X { string s = 'import "no/No.sol";'; } import "h/\\x48.sol";`;
    expect(importsIn(text)).toEqual(['a/A.sol', 'b/B.sol', 'c/C.sol', 'f/F.sol', 'g/G.sol', 'h/H.sol']);
  });

  it('are none in comments and strings', () => {
    const text = `// import "a/A.sol";\n/* import "b/B.sol"; */ contract X { string s = "import \\"c/C.sol\\";"; }
      string constant important = "x"; /// import "d/D.sol";`;
    expect(importsIn(text)).toEqual([]);
  });

  it('are read in bounded work, whatever the text is', () => {
    const hostile = ['/*', '"', "'\\", 'import ', 'import {', 'import "a" from ', '//\\', '/**/import'];
    for (const part of hostile) {
      const text = part.repeat(400_000);
      expect(importsIn(text).length).toBeLessThanOrEqual(text.length);
    }
    assert(property(string({ maxLength: 200 }), (text) => Array.isArray(importsIn(text))));
  });

  it('mean what the compiler takes them for', () => {
    expect(sourceName('./B.sol', 'a/lib/A.sol')).toBe('a/lib/B.sol');
    expect(sourceName('../B.sol', 'a/lib/A.sol')).toBe('a/B.sol');
    expect(sourceName('.././x/../B.sol', 'a/lib/A.sol')).toBe('a/B.sol');
    expect(sourceName('../../../../etc/passwd', 'a/A.sol')).toBe('etc/passwd');
    expect(sourceName('@a/b/../C.sol', 'A.sol')).toBe('@a/b/../C.sol');
  });
});
