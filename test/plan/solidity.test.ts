import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outlineOf } from '../../src/plan/solidity-outline.js';
import { parseParameters, plainParameters, readParameters, typeText } from '../../src/plan/solidity.js';

describe('the outline of a source', () => {
  test('sees imports and constructors of every age, and nothing inside comments and strings', () => {
    const text = `
      pragma solidity >=0.4.0; // import "./a.sol"; contract X {}
      /* contract Y { constructor(uint a) } */
      import {A, B as C} from "./a.sol";
      contract Old is A { string s = "}"; function Old(uint a, address b) public { if (a > 0) { b; } } }
      contract New { bytes x = hex"00"; function f() external {} constructor( /* first */ uint a ) Old(a, 0) { } }
      abstract contract Half { function New(uint) public virtual; }
      library L { function f() internal {} }
      interface I { function g() external; }
      contract Plain {}
    `;
    expect(outlineOf(text)).toMatchObject({
      imports: [{ path: './a.sol', symbols: ['A', 'B'] }],
      contracts: [
        { name: 'Old', kind: 'contract', parameters: 'uint a, address b' },
        { name: 'New', kind: 'contract', parameters: ' /* first */ uint a ' },
        { name: 'Half', kind: 'abstract contract' },
        { name: 'L', kind: 'library' },
        { name: 'I', kind: 'interface' },
        { name: 'Plain', kind: 'contract' },
      ],
    });
  });

  test('never throws, whatever the text', () => {
    const noise = fc.string({
      unit: fc.constantFrom(
        'contract ',
        'A',
        '{',
        '}',
        '(',
        ')',
        '"',
        "'",
        '/*',
        '*/',
        '//',
        '\n',
        'import ',
        ';',
        'constructor',
        '\\',
      ),
    });
    fc.assert(
      fc.property(noise, (text) => {
        expect(outlineOf(text).imports).toBeInstanceOf(Array);
      }),
      { numRuns: 500 },
    );
  });
});

describe('constructor parameters', () => {
  const type = fc
    .tuple(
      fc.constantFrom(
        'address',
        'uint',
        'uint8',
        'int256',
        'bool',
        'bytes32',
        'bytes',
        'string',
        'IERC20',
        'Lib.Kind',
        'address payable',
      ),
      fc.constantFrom('', '[]', '[3]', '[ 2 ][]', '[][][4]'),
    )
    .filter(([name, brackets]) => name !== 'address payable' || brackets === '')
    .map((parts) => parts.join(''));
  const parameter = fc
    .tuple(
      type,
      fc.constantFrom('', ' memory', ' calldata', ' /* where */ memory'),
      fc.constantFrom(' a', ' _b1', '\n\t$c', ' // x\n d', ''),
    )
    // The parser takes `payable` for the name of an unnamed parameter.
    .filter(([type, , name]) => type !== 'address payable' || name !== '')
    .map((parts) => parts.join(''));

  test('are read from their words exactly as the parser reads them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(parameter, { minLength: 1, maxLength: 5 }), async (parameters) => {
        const text = parameters.join(' , ');
        expect(plainParameters(text)).toEqual(await parseParameters(text));
      }),
    );
  });

  test.each([
    'function(uint) external f',
    'mapping(uint => uint) storage m',
    'uint[2 * 3] memory a',
    'uint[N] a',
  ])('are left to the parser where they are not plain: %s', async (text) => {
    expect(plainParameters(text)).toBeUndefined();
    expect(await readParameters(text)).toHaveLength(1);
  });

  test('that nobody can read are no reason to refuse a plan', async () => {
    expect(await readParameters('uint a uint b ???')).toBeUndefined();
  });

  test('show their types as the source writes them', async () => {
    const types = (await readParameters('uint256[2][] memory a, Lib.Kind k'))?.map((one) =>
      typeText(one.type),
    );
    expect(types).toEqual(['uint256[2][]', 'Lib.Kind']);
  });
});
