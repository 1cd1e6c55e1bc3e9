import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  certificateId,
  KIND_NAMES,
  kindOf,
  nameOf,
  parseCertificateId,
  parseResourceId,
  parseStepId,
  resourceId,
  stepId,
} from '../../src/model/id.js';

/** Names of what ids are made of, and of what breaks patterns. */
const name = (): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.constantFrom(
      'a',
      '1',
      '0',
      '[',
      ']',
      '.',
      '#',
      '@',
      ' ',
      '\n',
      '\u2028',
      '\0',
      'é',
      '😀',
      '\ud800',
    ),
    minLength: 1,
  });

describe('the id of a resource', () => {
  test('gives its kind and its name back, whatever the name holds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KIND_NAMES), name(), (kind, called) => {
        const id = resourceId(kind, called);
        expect([kindOf(id), nameOf(id)]).toEqual([kind, called]);
        expect(parseResourceId(id)).toEqual({ kind, name: called });
      }),
    );
  });

  test.each(['', 'wallet', 'wallet.', '.alice', 'purse.alice', 'Wallet.alice'])('is not %j', (text) => {
    expect(parseResourceId(text)).toBeUndefined();
  });
});

describe('the id of a certificate', () => {
  test('gives batch and key back, whatever the key holds: brackets, dots, line ends', () => {
    fc.assert(
      fc.property(name(), (key) => {
        expect(parseCertificateId(certificateId('class-of-2026', key))).toEqual({
          batch: 'class-of-2026',
          key,
        });
      }),
    );
    expect(parseCertificateId(certificateId('a', 'b][c].\n#1'))).toEqual({ batch: 'a', key: 'b][c].\n#1' });
  });

  test('is not that of another kind', () => {
    expect(parseCertificateId('certificate-contract.diplomas')).toBeUndefined();
    expect(parseCertificateId('transfer.a[b]')).toBeUndefined();
  });
});

describe('the id of a step', () => {
  test('gives resource and attempt back, also of a resource whose name looks like a step', () => {
    fc.assert(
      fc.property(name(), fc.integer({ min: 1, max: 1_000_000 }), (key, attempt) => {
        const id = certificateId('batch', key);
        expect(parseStepId(stepId(id, attempt))).toEqual({ id, attempt });
      }),
    );
    expect(parseStepId('category.a#1#2')).toEqual({ id: 'category.a#1', attempt: 2 });
  });

  test.each([
    'category.a',
    'category.a#',
    'category.a#0',
    'category.a#01',
    'category.a#-1',
    'nothing.a#1',
    '#1',
  ])('is not %j', (text) => {
    expect(parseStepId(text)).toBeUndefined();
  });
});
