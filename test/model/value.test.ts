import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import type { Json } from '../../src/model/json.js';
import { addressPlaceholder, fillPlaceholders, publicView, referencesOf } from '../../src/model/value.js';

const TOKEN = 'contract.core.Token';
const REGISTRY = 'contract.core.Registry';
const link: Json = { $placeholder: ['at ', { ref: TOKEN }, ' of ', { ref: REGISTRY }] };

describe('a placeholder', () => {
  test('names what it needs, each once, in order, however deep it stands', () => {
    const value: Json = { b: [addressPlaceholder(REGISTRY), { c: link }], a: 'contract.core.Other' };
    expect(referencesOf(value)).toEqual([REGISTRY, TOKEN]);
  });

  test('becomes text when all that it names is known, and stays whole when anything is missing', () => {
    const value: Json = { c: [link], d: addressPlaceholder(TOKEN) };
    const known = new Map<string, string>([[TOKEN, '0x1']]);
    expect(fillPlaceholders(value, (ref) => known.get(ref))).toEqual({ c: [link], d: '0x1' });
    known.set(REGISTRY, '0x2');
    expect(fillPlaceholders(value, (ref) => known.get(ref))).toEqual({ c: ['at 0x1 of 0x2'], d: '0x1' });
  });

  test('is filled once: an address that looks like one is not filled again', () => {
    const text = JSON.stringify(link);
    expect(fillPlaceholders(addressPlaceholder(TOKEN), () => text)).toBe(text);
  });
});

describe('the public view of a value', () => {
  test('holds where a secret comes from, and nothing of personal data', () => {
    const value: Json = {
      email: { $secret: { env: 'WINDLASS_VAR_ALICE_EMAIL' } },
      people: [{ name: { $personal: 'Alice Tan' } }, 'open'],
    };
    expect(publicView(value)).toEqual({
      email: { $secret: { env: 'WINDLASS_VAR_ALICE_EMAIL' } },
      people: [{ name: { $personal: '•••' } }, 'open'],
    });
  });

  test('shows no personal text, wherever it stands', () => {
    const personal = fc.string({ minLength: 8 }).map((text) => ({ $personal: `canary-${text}` }));
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        personal,
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(JSON.stringify(publicView(value))).not.toContain('canary-');
      }),
    );
  });

  test('is the value itself when there is nothing to hide', () => {
    const value: Json = { a: [1, { b: 'c' }], d: null };
    expect(publicView(value)).toBe(value);
  });
});
