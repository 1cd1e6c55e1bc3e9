import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResourceId } from '../../src/model/id.js';
import { addressTable, outputsEnv, outputsJson, outputsTs } from '../../src/report/outputs.js';

const addresses = new Map<ResourceId, string>([
  ['audit-contract.releases', '0xA1'],
  ['contract.core.Token', '0xB1'],
  ['contract.sale.Token', '0xB2'],
  ['contract.sale.TokenSale', '0xB3'],
  ['wallet.registrar', '0xC1'],
]);

describe('addresses for the next tool', () => {
  it('are shell assignments, qualified where two would share a name', () => {
    expect(outputsEnv(addresses)).toMatchInlineSnapshot(`
      "RELEASES_ADDRESS='0xA1'
      CONTRACT_CORE_TOKEN_ADDRESS='0xB1'
      CONTRACT_SALE_TOKEN_ADDRESS='0xB2'
      TOKEN_SALE_ADDRESS='0xB3'
      REGISTRAR_ADDRESS='0xC1'"
    `);
  });

  it('are a typed module and a JSON document', () => {
    expect(outputsTs(addresses)).toContain('"contract.core.Token": "0xB1",');
    expect(outputsJson(addresses)).toEqual({ addresses: Object.fromEntries(addresses) });
  });

  it('are a table for people', () => {
    expect(
      addressTable(
        new Map([
          ['a', '0x1'],
          ['long', '0x2'],
        ]),
      ),
    ).toBe('  a     0x1\n  long  0x2');
  });

  it('never run anything in a shell, and never share a variable', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom("'; exit 3; '", '$(exit 3)', '`x`'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(hostile, { minLength: 1, maxLength: 5 }), hostile, (names, address) => {
        const some = new Map(
          names.map((name): [ResourceId, string] => [`tag.${name}`, address.replaceAll('\0', '')]),
        );
        const lines = outputsEnv(some);
        const variables = [...lines.matchAll(/^([A-Z_][A-Z0-9_]*_ADDRESS)='/gm)].map((match) => match[1]);
        expect(new Set(variables).size).toBe(some.size);
        execFileSync('sh', ['-eu', '-c', lines]);
      }),
      { numRuns: 20 },
    );
  });
});
