import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanMessage } from '../../src/remote/redact.js';

const SECRET = 'sk_9f/Ab+"c\\d é=';

test.each([
  ['raw', SECRET],
  ['upper case', SECRET.toUpperCase()],
  ['JSON', JSON.stringify({ a: SECRET })],
  ['URL', `?x=${encodeURIComponent(SECRET)}`],
  ['form', `x=${new URLSearchParams({ s: SECRET }).toString().slice(2)}`],
  ['hex', Buffer.from(SECRET).toString('hex')],
  ['base64', Buffer.from(SECRET).toString('base64')],
  ['base64url', Buffer.from(SECRET).toString('base64url')],
  ['base64 behind one byte', Buffer.from(`a${SECRET}`).toString('base64')],
  ['base64 in the middle', Buffer.from(`id:${SECRET}:rest`).toString('base64')],
])('a secret as %s is masked', (_, text) => {
  const shown = cleanMessage(`before ${text} after`, [SECRET]);
  expect(shown).toContain('•••');
  for (const part of ['9f', 'sk_', Buffer.from(SECRET).toString('base64').slice(4, 16)]) {
    expect(shown).not.toContain(part);
  }
  expect(shown.startsWith('before ')).toBe(true);
});

test('personal numbers are masked without their dashes too', () => {
  expect(cleanMessage('ic 900101145678 exists', ['900101-14-5678'])).toBe('ic ••• exists');
});

test('a very short secret is masked as a word only', () => {
  expect(cleanMessage('pin 12 at 12:30 of 2012', ['12'])).toBe('pin ••• at •••:30 of 2012');
});

test('no part of a secret survives the cut at the end', () => {
  const text = `${'x'.repeat(490)}${SECRET}`;
  expect(cleanMessage(text, [SECRET])).not.toContain('sk_');
});

test('control, bidirectional and zero-width characters are escaped', () => {
  expect(cleanMessage('a\u001b[2Jb\u202ec\u200bd\r\ne\u0085', [])).toBe(
    'a\\u{1b}[2Jb\\u{202e}c\\u{200b}d\\u{d}\\u{a}e\\u{85}',
  );
});

test('any text comes out printable, short and without the secret', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 4 }).filter((secret) => secret.trim().length > 3),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }),
      (secret, before, after) => {
        const shown = cleanMessage(`${before}${secret}${after}`, [secret]);
        expect(shown.length).toBeLessThanOrEqual(500);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        if (!/[\p{Cc}\p{Cf}\\]/u.test(secret)) expect(shown).not.toContain(secret);
      },
    ),
  );
});
