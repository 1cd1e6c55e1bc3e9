import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concealedLine } from '../../src/report/concealment.js';

const SECRET = 'sk_canary-77@x.example';

function shown(text: string, line = text.split('\n').length): string {
  return concealedLine(text.split('\n'), line - 1);
}

describe('an excerpt of a plan', () => {
  it('hides personal data and secrets, and keeps every column where it was', () => {
    for (const text of [
      `  bob: { create: { name: Bob, email: ${SECRET}, ic: S1 } }`,
      `  bob: { create: { name: Bob, emial: ${SECRET} } }`,
      `  bob: { create: { name: Bob, email: "${SECRET}`,
      `  bob: { create: { name: Bob, email: { value: ${SECRET} } } }`,
      `  bob: { create: { name: Bob, email: [${SECRET}] } }`,
      `  bob: { create: ${SECRET} }`,
      `  bob: { create: { name: ${SECRET}, email: a@b.c } }`,
      `wallets:\n  bob:\n    create:\n      name: ${SECRET}`,
      `  bob: { create: { name: Bob, email: { env: ${SECRET} } } }`,
      `wallets:\n  bob:\n    create:\n      email:\n        env: ${SECRET}`,
      `wallets:\n  bob:\n    create:\n      name: Bob\n      emial: ${SECRET}`,
      `wallets:\n  bob:\n    create:\n      email: >-\n        ${SECRET}`,
      `wallets:\n  bob: { create: { name: Bob,\n    icc: ${SECRET} } }`,
      `    credentials: { client_id: { env: WINDLASS_VAR_ID }, client_secret: ${SECRET} }`,
      `    credentials: { client_id: { env: WINDLASS_VAR_ID }, secret: '${SECRET}' }`,
      `    credentials: ${SECRET}`,
      `    wallet: { type: non_custodial, signer: { key: ${SECRET} } }`,
      `    wallet:\n      signer:\n        password: ${SECRET}`,
      `    signer: 0x${'ab'.repeat(32)}`,
    ]) {
      const excerpt = shown(text);
      expect(excerpt, text).not.toMatch(/canary|abab/);
      expect(excerpt).toHaveLength(text.split('\n').at(-1)?.length ?? 0);
    }
  });

  it('shows everything else: where a secret comes from, and keys of the same name elsewhere', () => {
    for (const text of [
      '  alice: { create: { name: { env: WINDLASS_VAR_ALICE_NAME }, email: { env: WINDLASS_VAR_ALICE_EMAIL }, ic: { file: secrets/ic.txt } } }',
      '    credentials: { client_id: { env: WINDLASS_VAR_ID }, client_secret: { env: WINDLASS_VAR_SECRET } }',
      '      wallet: { type: organisation, use: registrar }',
      '    shipped: { contract: releases, signer: registrar, metadata: { release: 1.0.0 } }',
      '    class: { contract: diplomas, rows: rows.csv, key: student_id }',
      'wallets:\n  bob:\n    create:\n      email:\n        env: BOB_EMAIL',
      'name: campus-release',
    ])
      expect(shown(text)).toBe(text.split('\n').at(-1));
  });

  it('hides a value under such a key whatever else stands around it', () => {
    const around = fc.string({ maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, ' '));
    const keys = fc.constantFrom('email', 'ic', 'client_secret', 'password');
    fc.assert(
      fc.property(around, keys, around, (before, key, after) => {
        const text = `${before} ${key}: ${SECRET}${after.startsWith(' ') ? after : ` ${after}`}`;
        expect(concealedLine([text], 0)).not.toContain(SECRET);
      }),
    );
  });
});
