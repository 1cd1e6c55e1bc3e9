import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { certificate as certificateKind, mintCertificate } from '../../src/kinds/certificate.js';
import type { Known } from '../../src/kinds/operation.js';
import { MARKER_TRAIT, MINT_TIERS } from '../../src/protocol/endpoint.js';
import type { Resource } from '../../src/model/resource.js';
import { abilities, address, certificate, hash, known, REGISTRAR, stepView } from '../support/builders.js';
import { found, judged, UNREADABLE, written } from '../support/judging.js';

const ALL = abilities();
const NFT = address('nft');
const TO = address('student S-1');
const ID = 'certificate.class[S-1]';
const KEY = 'aaaabbbbccccdddd';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

function sized(sizeBytes: number): ReturnType<typeof certificate> {
  const { image } = (certificate('S-1') as Resource<'certificate'>).inputs;
  return certificate('S-1', { contract: NFT, image: { ...image, sizeBytes } });
}

function minted(over: Partial<Known> = {}): Known {
  const context = { contract: NFT, to: TO, marker: KEY };
  return known({ resources: [ID], context, ids: { tokenId: '5', transactionHash: hash(1) }, ...over });
}

function entry(n: number, over: JsonObject = {}): JsonObject {
  return { nft_token_id: n, transactionHash: hash(n), is_mint: 1, certificate: `/files/${n}.json`, ...over };
}

function documents(marked: number): (request: { type: string; url?: string }) => ReturnType<typeof found> {
  return ({ url }) => {
    const value = url === `/files/${marked}.json` ? KEY : 'somebody else';
    return found({ json: { attributes: [{ trait: MARKER_TRAIT, value }] } });
  };
}

describe('the request for a mint', () => {
  test('goes to the smallest endpoint that takes its image', () => {
    for (const { endpoint, maxBytes } of MINT_TIERS) {
      expect(written(mintCertificate, stepView([sized(maxBytes)])).request.endpoint).toBe(endpoint);
    }
    expect(written(mintCertificate, stepView([sized(1_000_001)])).request.endpoint).toBe(
      'certificate.mint-small',
    );
  });

  test('carries the key of its step as an attribute, unless the plan says none', () => {
    const { request } = written(mintCertificate, stepView([sized(1)]));
    expect(JSON.parse(request.body['attributes'] as string)).toEqual([
      { trait: 'Programme', value: 'Law' },
      { trait: MARKER_TRAIT, value: KEY },
    ]);
    const plain = certificate('S-1', { contract: NFT, marker: 'none' });
    const view = stepView([plain]);
    expect(JSON.parse(written(mintCertificate, view).request.body['attributes'] as string)).toHaveLength(1);
  });

  test('is locked without the marker, by the digest of the image', () => {
    const { inputs } = written(mintCertificate, stepView([sized(1)]));
    expect(inputs[ID]).toEqual(certificateKind.comparable(sized(1) as Resource<'certificate'>));
  });
});

describe('a minted certificate', () => {
  function receipt(topics: readonly string[], status = true): ReturnType<typeof found> {
    const logs = [{ address: NFT, topics: [TRANSFER, ...topics] }];
    return found({ transactionHash: hash(1), from: REGISTRAR, to: NFT, status, logs });
  }
  const word = (text: string): string => `0x${text.replace('0x', '').padStart(64, '0')}`;

  test('has the token id that the receipt shows, not the one that was promised', () => {
    const shown = receipt([word('0x0'), word(TO), word('0x9')]);
    expect(judged(mintCertificate, minted(), ALL, { receipt: shown })).toMatchObject({
      type: 'confirmed',
      outputs: { [ID]: { tokenId: '9', transaction: hash(1) } },
    });
  });

  test('is not proven by a receipt that minted to another wallet or only moved a token', () => {
    const none = { 'certificate.list': found([]) };
    for (const topics of [
      [word('0x0'), word(address('other')), word('0x9')],
      [word(REGISTRAR), word(TO), word('0x9')],
    ])
      expect(judged(mintCertificate, minted(), ALL, { ...none, receipt: receipt(topics) })).toMatchObject({
        type: 'wait',
      });
  });

  test('is found in the list by the answered transaction where receipts cannot be read', () => {
    const list = { 'certificate.list': found([entry(2), entry(1)]), receipt: UNREADABLE };
    expect(judged(mintCertificate, minted(), ALL, list)).toMatchObject({
      outputs: { [ID]: { tokenId: '1' } },
    });
  });
});

describe('a mint whose answer was lost', () => {
  const lost = minted({ ids: {}, outcome: 'ambiguous' });

  test('is found by its marker', () => {
    const answers = { 'certificate.list': found([entry(1), entry(2), entry(3)]), file: documents(2) };
    expect(judged(mintCertificate, lost, ALL, answers)).toEqual({
      type: 'confirmed',
      grade: 'B',
      outputs: { [ID]: { tokenId: '2', transaction: hash(2) } },
    });
  });

  test('is found although entries before it have no document, or are transfers of the same token', () => {
    const { certificate: _document, ...bare } = entry(1);
    const moved = entry(7, { is_mint: 0, certificate: '/files/2.json' });
    const answers = { 'certificate.list': found([bare, moved, entry(2)]), file: documents(2) };
    expect(judged(mintCertificate, lost, ALL, answers)).toMatchObject({
      outputs: { [ID]: { transaction: hash(2) } },
    });
  });

  test('is not the one of another step, even with the same marker', () => {
    const answers = { 'certificate.list': found([entry(2)]), file: documents(2) };
    const taken = { ...lost, isTaken: (name: string) => name === hash(2) };
    expect(judged(mintCertificate, taken, ALL, answers)).toMatchObject({ type: 'wait' });
  });

  test('may be there while its document comes as something else', () => {
    const answers = {
      'certificate.list': found([entry(2)]),
      file: found({ digest: 'sha256:0', sizeBytes: 1 }),
    };
    expect(judged(mintCertificate, lost, ALL, answers)).toEqual({ type: 'wait', shown: true });
  });

  test('waits while its document cannot be read', () => {
    const answers = { 'certificate.list': found([entry(2)]), file: UNREADABLE };
    expect(judged(mintCertificate, lost, ALL, answers)).toMatchObject({ type: 'wait' });
  });

  test('without a marker is the one new mint to its receiver', () => {
    const { marker: _marker, ...rest } = lost.context;
    const plain = { ...lost, context: { ...rest, name: 'Diploma', before: [hash(1)] } };
    const list = (...items: JsonObject[]): object => ({ 'certificate.list': found(items) });
    expect(judged(mintCertificate, plain, ALL, { ...list(entry(1), entry(2)) })).toMatchObject({
      outputs: { [ID]: { tokenId: '2' } },
    });
    expect(judged(mintCertificate, plain, ALL, { ...list(entry(1), entry(2), entry(3)) })).toMatchObject({
      type: 'wait',
    });
    expect(
      judged(mintCertificate, plain, ALL, { ...list(entry(1), entry(2, { is_mint: 0 })) }),
    ).toMatchObject({
      type: 'wait',
    });
  });
});
