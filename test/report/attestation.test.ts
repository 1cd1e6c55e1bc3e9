import { generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { compareAttestation, isBroken, parseStatement } from '../../src/report/attestation-check.js';
import {
  fileDescriptor,
  PREDICATE_TYPE,
  STATEMENT_TYPE,
  statementOf,
  type AttestationParts,
} from '../../src/report/attestation.js';
import { openEnvelope, sealEnvelope } from '../../src/report/dsse.js';

const hex = (digit: string): `sha256:${string}` => `sha256:${digit.repeat(64)}`;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');

const LOCK: AttestationParts['lock'] = {
  lineage: 'l',
  serial: 3,
  target: { origin: 'https://a.example', client: hex('c'), chain: '1:0x00' },
  entries: new Map(
    ['B', 'A'].map((name) => [
      `contract.core.${name}` as const,
      {
        id: `contract.core.${name}` as const,
        kind: 'contract' as const,
        inputs: {},
        digest: hex('d'),
        outputs: { address: `0x${name.repeat(40)}` },
        grade: 'A' as const,
        at: '2026-01-01T00:00:00.000Z',
      },
    ]),
  ),
};

const PARTS: AttestationParts = {
  engineVersion: '1.2.3',
  environment: 'test',
  plan: fileDescriptor('windlass.yaml', hex('1')),
  inputs: [fileDescriptor('a.sol', hex('2'))],
  lockfiles: [fileDescriptor('windlass.test.lock.json', hex('3'))],
  lock: LOCK,
  runs: [],
  codes: [{ id: 'contract.core.A', address: `0x${'A'.repeat(40)}`, code: hex('4') }],
};

const PRESENT = { ...PARTS, codes: PARTS.codes };

const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (thrown) {
    return (thrown as { readonly code: string }).code;
  }
};

describe('a statement', () => {
  test('is the same text for the same release, in whatever order its resources were locked', () => {
    const turned = { ...LOCK, entries: new Map([...LOCK.entries].toReversed()) };
    expect(JSON.stringify(statementOf({ ...PARTS, lock: turned }))).toBe(JSON.stringify(statementOf(PARTS)));
  });

  test('holds against what it was made from, and names each thing that is otherwise', () => {
    const statement = parseStatement(JSON.stringify(statementOf(PARTS)));
    const outcomes = (present: Partial<Record<keyof typeof PRESENT, unknown>>) =>
      compareAttestation(statement, { ...PRESENT, ...present } as never)
        .filter(({ outcome }) => outcome !== 'same')
        .map(({ name, outcome }) => [name, outcome]);
    expect(outcomes({})).toEqual([]);
    expect(outcomes({ inputs: [] })).toEqual([['a.sol', 'missing']]);
    expect(outcomes({ inputs: undefined })).toEqual([['a.sol', 'unread']]);
    expect(outcomes({ lockfiles: [...PARTS.lockfiles, fileDescriptor('more.ndjson', hex('5'))] })).toEqual([
      ['more.ndjson', 'unattested'],
    ]);
    expect(outcomes({ codes: undefined })).toEqual([['contract.core.A', 'unread']]);
    const moved = { ...PARTS.codes[0]!, address: `0x${'B'.repeat(40)}` };
    expect(outcomes({ codes: [moved] })).toEqual([['contract.core.A', 'differs']]);
    expect(outcomes({ codes: [{ ...moved, code: 'absent' }] })).toEqual([['contract.core.A', 'missing']]);
    expect(isBroken({ what: 'bytecode', name: 'x', outcome: 'unread' })).toBe(false);
  });

  test('that says other things of the attested lock than the lock does is tampered with', () => {
    const statement = statementOf(PARTS);
    for (const change of [{ serial: 4 }, { lineage: 'm' }, { resources: [] }, { batches: [{}] }]) {
      const lie = { ...statement, predicate: { ...statement.predicate, ...change } };
      const text = JSON.stringify(lie);
      expect(codeOf(() => compareAttestation(parseStatement(text), PRESENT))).toBe('ATTESTATION_TAMPERED');
    }
  });

  test('of any other shape is refused, whatever it is', () => {
    const good = { _type: STATEMENT_TYPE, predicateType: PREDICATE_TYPE };
    const texts = [
      '',
      'null',
      '[]',
      JSON.stringify(good),
      JSON.stringify({ ...good, subject: {}, predicate: { inputs: [], plan: PARTS.plan, environment: 'a' } }),
      JSON.stringify({
        ...good,
        subject: [],
        predicate: { inputs: [{}], plan: PARTS.plan, environment: 'a' },
      }),
      JSON.stringify({ ...good, subject: [], predicate: { inputs: [], plan: PARTS.plan } }),
      JSON.stringify({ ...statementOf(PARTS), predicateType: 'https://slsa.dev/provenance/v1' }),
    ];
    for (const text of texts)
      expect(
        codeOf(() => parseStatement(text)),
        text,
      ).toBe('ATTESTATION_TAMPERED');
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(codeOf(() => parseStatement(text))).toBe('ATTESTATION_TAMPERED');
        expect(codeOf(() => openEnvelope(text, publicKey))).toBe('ATTESTATION_TAMPERED');
      }),
    );
  });
});

describe('an envelope', () => {
  test('gives back any text that was sealed, to whoever has the key, and to nobody else', () => {
    const other = generateKeyPairSync('ed25519').publicKey;
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (payload) => {
        const sealed = JSON.stringify(sealEnvelope(payload, privateKey));
        expect(openEnvelope(sealed, publicKey)).toMatchObject({ payload, signed: true });
        expect(codeOf(() => openEnvelope(sealed, other))).toBe('ATTESTATION_TAMPERED');
      }),
      { numRuns: 50 },
    );
  });

  test('is refused when any one character of payload or signature is another', () => {
    const sealed = sealEnvelope('{"a":"statement"}', privateKey) as {
      readonly payload: string;
      readonly signatures: readonly { readonly sig: string }[];
    };
    const turn = (text: string, at: number): string =>
      `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
    const { payload, signatures } = sealed;
    const { sig } = signatures[0]!;
    const changed: Json[] = [];
    for (let at = 0; at < payload.length; at += 1) changed.push({ ...sealed, payload: turn(payload, at) });
    for (let at = 0; at < sig.length; at += 1)
      changed.push({ ...sealed, signatures: [{ sig: turn(sig, at) }] });
    for (const one of changed) {
      expect(codeOf(() => openEnvelope(JSON.stringify(one), publicKey))).toBe('ATTESTATION_TAMPERED');
    }
  });
});
