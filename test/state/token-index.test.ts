import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenHash, tokenHashOf } from '../../src/state/token-index.js';

test('the digest of a token has one hash, as text and as bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const hex = Buffer.from(bytes).toString('hex');
      expect(tokenHashOf(`sha256:${hex}`)).toBe(tokenHash(bytes, 0));
    }),
  );
});
