import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { transferCertificate } from '../../src/kinds/transfer.js';
import type { Known } from '../../src/kinds/operation.js';
import {
  abilities,
  address,
  ALICE,
  hash,
  known,
  REGISTRAR,
  stepView,
  transfer,
} from '../support/builders.js';
import { ABSENT, found, judged, written } from '../support/judging.js';

const ALL = abilities();
const NFT = address('nft');
const ID = 'transfer.to-alice';
const MINT = 'certificate.class[S-1]';

const view = stepView([transfer('to-alice', MINT, { contract: NFT })], {
  outputs: { [MINT]: { tokenId: '5' } },
});

function arrival(transaction: string, over: JsonObject = {}): JsonObject {
  return { nft_token_id: 5, transactionHash: transaction, to_wallet: ALICE, ...over };
}

/** The transfer as it was intended when these arrivals were there. */
function intended(before: readonly JsonObject[], over: Partial<Known> = {}): Known {
  const { context } = written(transferCertificate, view, { 'certificate.list': found(before) });
  return known({ resources: [ID], context, ...over });
}

describe('the request for a transfer', () => {
  test('names the token of the certificate by the id that it was minted with', () => {
    const { request } = written(transferCertificate, view, { 'certificate.list': found([]) });
    expect(request.body).toEqual({
      wallet_address: REGISTRAR,
      to: ALICE,
      nft_id: '5',
      contract_address: NFT,
    });
  });

  test('keeps only the arrivals of this token with the intent', () => {
    const before = [arrival(hash(1)), arrival(hash(2), { nft_token_id: 6 })];
    expect(intended(before).context).toMatchObject({ before: [hash(1)] });
  });
});

describe('a transfer', () => {
  const lost: Partial<Known> = { outcome: 'ambiguous', ids: {} };
  const shows = (...items: JsonObject[]): object => ({ 'certificate.list': found(items), receipt: ABSENT });

  test('is confirmed when the list shows that its transaction brought the token', () => {
    const accepted = intended([], { ids: { transactionHash: hash(1) } });
    expect(judged(transferCertificate, accepted, ALL, { ...shows(arrival(hash(1))) })).toMatchObject({
      type: 'confirmed',
      outputs: { [ID]: { transaction: hash(1) } },
    });
    expect(judged(transferCertificate, accepted, ALL, { ...shows(arrival(hash(2))) })).toEqual({
      type: 'wait',
    });
  });

  test('is found when its answer was lost', () => {
    const verdict = judged(transferCertificate, intended([], lost), ALL, { ...shows(arrival(hash(3))) });
    expect(verdict).toMatchObject({ type: 'confirmed', grade: 'B' });
  });

  test('is not proven by an earlier arrival of a token that came back since', () => {
    const there = arrival(hash(1));
    expect(judged(transferCertificate, intended([there], lost), ALL, { ...shows(there) })).toEqual({
      type: 'wait',
    });
    const again = judged(transferCertificate, intended([there], lost), ALL, {
      ...shows(there, arrival(hash(2))),
    });
    expect(again).toMatchObject({ outputs: { [ID]: { transaction: hash(2) } } });
  });

  test('is not proven by an old transaction that a forged callback names', () => {
    const there = arrival(hash(1));
    const callbacks = [{ claim: 'success' as const, facts: { transactionHash: hash(1) } }];
    const forged = intended([there], { ...lost, callbacks });
    expect(judged(transferCertificate, forged, ALL, { ...shows(there) })).toMatchObject({ type: 'wait' });
  });

  test('is not proven by another token or another receiver', () => {
    const others = shows(arrival(hash(1), { nft_token_id: 6 }), arrival(hash(2), { to_wallet: REGISTRAR }));
    expect(judged(transferCertificate, intended([], lost), ALL, { ...others })).toMatchObject({
      type: 'wait',
    });
  });
});
