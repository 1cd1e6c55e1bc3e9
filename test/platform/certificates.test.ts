import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { createContract, fetched, image, minted, minting, onChain, PNG } from './certificate-samples.js';
import { at, listAt, textAt, wrongFields, type Answer } from './client.js';
import { openService, type Service } from './service.js';

let service: Service;
let diplomas: string;

beforeAll(async () => {
  service = await openService();
  diplomas = await createContract(service);
});

afterAll(() => service.close());

/** Mints from the contract all tests here share, unless the fields name another. */
function mint(fields: Readonly<Record<string, string>> = {}, bytes = PNG, tier = ''): Promise<Answer> {
  const path = `/api/certificate/mint-certificate${tier}`;
  return service.api.form(path, minting(service, diplomas, fields), image(bytes));
}

describe('a minted certificate', () => {
  it('answers what the interface names, and is confirmed under result', async () => {
    const { result, callback } = await minted(service, diplomas);
    const { nft_token_id, transactionHash, nonce } = result;
    expect(result).toMatchObject({ status: 'pending', receiver_wallet_address: service.wallet(2) });
    expect(nft_token_id).toBeTypeOf('number');
    expect(callback).toMatchObject({
      status: 200,
      result: {
        status: 'success',
        from: service.wallet(1),
        nonce,
        transactionHash,
        receipt: { status: true },
      },
    });
  });

  it('belongs to its receiver on the chain, and its token URI leads to document and image', async () => {
    const { result } = await minted(service, diplomas, { to: service.wallet(3) });
    const tokenId = BigInt(result.nft_token_id);
    expect(await onChain(service, diplomas).read.ownerOf([tokenId])).toBe(service.wallet(3));
    const uri = await onChain(service, diplomas).read.tokenURI([tokenId]);
    expect(uri).toBe(result.certificate);
    const document = JSON.parse((await fetched(uri)).bytes.toString()) as JsonObject;
    expect(document).toEqual({
      name: 'Diploma of Alice Tan',
      description: 'Chemistry, class of 2026',
      image: result.certificate_image,
      attributes: [{ trait: 'Programme', value: 'Chemistry', trait_type: 'Programme' }],
    });
    const served = await fetched(textAt(document, 'image'));
    expect(served.bytes).toEqual(PNG);
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is listed by receiver, contract and transaction, in both spellings', async () => {
    const to = service.wallet(4);
    const { result } = await minted(service, diplomas, { to });
    const { transactionHash, nft_token_id, certificate, certificate_image } = result;
    const { body } = await service.api.get('/api/certificate/get-certificate', {
      to,
      contract_address: diplomas,
    });
    expect(listAt(body, 'result')).toEqual([
      {
        nft_token_id,
        transactionHash,
        status: 'success',
        from_wallet: service.wallet(1),
        to_wallet: to,
        is_mint: 1,
        blockNumber: expect.any(Number) as number,
        certificate,
        certificate_image,
        certificate_file: 'certificate.json',
        certificate_image_file: 'image.png',
        created_at: expect.stringMatching(/\.\d{6}Z$/) as string,
        token: { contract_address: diplomas, name: 'Campus Diploma', symbol: 'DIP', logo: null },
      },
    ]);
    for (const name of ['tx_id', 'transaction_id']) {
      const found = await service.api.get('/api/certificate/get-certificate', {
        [name]: transactionHash,
      });
      expect(listAt(found.body, 'result')).toEqual(listAt(body, 'result'));
    }
    expect(at((await service.other.get('/api/certificate/get-certificate', { to })).body, 'result')).toEqual(
      [],
    );
  });

  it('that its receiver refuses fails, says why under result, and is listed as failed only', async () => {
    const { result, callback } = await minted(service, diplomas, { to: diplomas });
    const { transactionHash } = result;
    expect(callback).toMatchObject({ status: 200, result: { status: 'failed', transactionHash } });
    expect(textAt(callback, 'result.message')).toContain('receiver refuses the token');
    const listed = async (query: Record<string, string>) =>
      listAt(
        (
          await service.api.get('/api/certificate/get-certificate', {
            tx_id: transactionHash,
            ...query,
          })
        ).body,
        'result',
      ).map((entry) => entry['status']);
    expect(await listed({})).toEqual([]);
    expect(await listed({ status: 'fail' })).toEqual(['failed']);
    expect(await listed({ status: 'failed' })).toEqual(['failed']);
    const next = await minted(service, diplomas);
    expect(next.result.nft_token_id).toBeGreaterThan(result.nft_token_id);
  });

  it('has an id of its own, from 1 without gaps, however many are minted at once', async () => {
    const contract_address = await createContract(service);
    const mints = await Promise.all(Array.from({ length: 30 }, () => minted(service, contract_address)));
    const ids = mints.map(({ result }) => result.nft_token_id).toSorted((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(mints.every(({ callback }) => at(callback, 'result.status') === 'success')).toBe(true);
    expect(await onChain(service, contract_address).read.totalSupply()).toBe(30n);
  });

  it('is refused, or fails, once the supply is reached', async () => {
    const contract_address = await createContract(service, { max_supply: 2 });
    const callbacks = Array.from({ length: 4 }, () => service.receiver.url());
    const answers = await Promise.all(
      callbacks.map((callback_url) => mint({ contract_address, callback_url })),
    );
    const ends = await Promise.all(
      answers.map(async ({ status }, index) =>
        status === 200
          ? at(await service.receiver.received(callbacks[index] ?? ''), 'result.status')
          : String(status),
      ),
    );
    expect(ends.filter((end) => end === 'success')).toHaveLength(2);
    expect(ends.filter((end) => end === 'failed' || end === '422')).toHaveLength(2);
    expect(wrongFields(await mint({ contract_address }))).toEqual(['contract_address']);
    expect(await onChain(service, contract_address).read.totalSupply()).toBe(2n);
  });

  it.each([
    ['', 1_048_576],
    ['-small', 10_485_760],
    ['-medium', 31_457_280],
    ['-large', 104_857_600],
  ])(
    'of endpoint mint-certificate%s may be as large as %i bytes and no larger',
    async (tier, limit) => {
      const largest = Buffer.alloc(limit);
      PNG.copy(largest);
      expect((await mint({}, largest, tier)).status).toBe(200);
      const over = await mint({}, Buffer.concat([largest, Buffer.alloc(1)]), tier);
      expect(over.status).toBe(413);
      expect(at(over.body, 'errors.file.0')).toContain(`${String(limit)} bytes`);
      const farOver = await mint({}, Buffer.concat([largest, Buffer.alloc(200_000)]), tier);
      expect(at(farOver.body, 'errors.file.0')).toContain(`${String(limit)} bytes`);
    },
    60_000,
  );

  it('is refused with 2 MB at the plain endpoint, and nothing is minted', async () => {
    const supply = await onChain(service, diplomas).read.totalSupply();
    expect((await mint({}, Buffer.concat([PNG, Buffer.alloc(2_000_000)]))).status).toBe(413);
    expect(await onChain(service, diplomas).read.totalSupply()).toBe(supply);
  });

  it('is refused without an image, and with an image of another kind', async () => {
    const none = await service.api.form('/api/certificate/mint-certificate', minting(service, diplomas));
    expect(wrongFields(none)).toEqual(['file']);
    expect(wrongFields(await mint({}, Buffer.alloc(0)))).toEqual(['file']);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    expect(wrongFields(await mint({}, svg))).toEqual(['file']);
  });

  it('is refused to everybody but the owner', async () => {
    expect(wrongFields(await mint({ wallet_address: service.wallet(0) }))).toEqual(['wallet_address']);
    const file = { filename: 'a.png', bytes: PNG };
    const foreign = await service.other.form(
      '/api/certificate/mint-certificate',
      minting(service, diplomas),
      file,
    );
    expect(wrongFields(foreign)).toEqual(['wallet_address', 'contract_address']);
  });

  it.each([
    ['a receiver with a broken checksum', { to: `0x${'aB'.repeat(20)}` }, ['to']],
    ['the zero address', { to: `0x${'0'.repeat(40)}` }, ['to']],
    ['attributes that are no JSON', { attributes: '{trait' }, ['attributes']],
    ['attributes that are no array', { attributes: '{"trait":"a","value":"b"}' }, ['attributes']],
    [
      'attributes nested without end',
      { attributes: '['.repeat(60_000) + ']'.repeat(60_000) },
      ['attributes'],
    ],
    ['a NUL in its name', { name: 'a\0b' }, ['name']],
    ['no name and no description', { name: '', description: '' }, ['name', 'description']],
    ['a callback address with credentials', { callback_url: 'http://u:p@127.0.0.1/' }, ['callback_url']],
    ['an unknown contract', { contract_address: `0x${'12'.repeat(20)}` }, ['contract_address']],
  ])('is refused with %s', async (_, fields, wrong) => {
    expect(wrongFields(await mint(fields as Record<string, string>))).toEqual(wrong);
  });
});
