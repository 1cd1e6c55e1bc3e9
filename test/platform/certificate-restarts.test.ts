import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { createContract, fetched, image, minted, minting, onChain, PNG } from './certificate-samples.js';
import { at, listAt, textAt } from './client.js';
import { serviceIn } from './service.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restarts-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('a certificate, once the platform was stopped and started again', { timeout: 60_000 }, () => {
  it('still has its owner, and a token URI that answers', async () => {
    const before = await serviceIn(folder);
    const contract = await createContract(before);
    const { result } = await minted(before, contract);
    const wallet = before.wallet(2);
    await before.close();
    const after = await serviceIn(folder);
    const token = [BigInt(result.nft_token_id)] as const;
    expect(await onChain(after, contract).read.ownerOf(token)).toBe(wallet);
    const uri = await onChain(after, contract).read.tokenURI(token);
    expect(uri).toBe(result.certificate);
    expect(textAt(JSON.parse((await fetched(uri)).bytes.toString()) as Json, 'image')).toBe(
      result.certificate_image,
    );
    const listed = await after.api.get('/api/certificate/get-certificate');
    expect(listAt(listed.body, 'result')).toMatchObject([{ certificate: uri, status: 'success' }]);
    await after.close();
  });

  it('ends in the same way when it was pending meanwhile, and the next one has the next id', async () => {
    const before = await serviceIn(folder);
    const contract = await createContract(before);
    const answer = await before.api.form(
      '/api/certificate/mint-certificate',
      minting(before, contract),
      image(PNG),
    );
    expect(at(answer.body, 'result.nft_token_id')).toBe(1);
    await before.close();
    const after = await serviceIn(folder);
    const { result } = await minted(after, contract);
    expect(result.nft_token_id).toBe(2);
    const tx_id = textAt(answer.body, 'result.transactionHash');
    const listed = await after.api.get('/api/certificate/get-certificate', { tx_id });
    expect(listAt(listed.body, 'result')).toMatchObject([{ nft_token_id: 1, status: 'success' }]);
    await after.close();
  });

  it('is served on another port while its own is taken, and on its own again later', async () => {
    const before = await serviceIn(folder);
    const contract = await createContract(before);
    const { result } = await minted(before, contract);
    await before.close();
    const squatter = createServer();
    await new Promise<void>((resolve) =>
      squatter.listen(Number(new URL(result.certificate).port), '127.0.0.1', resolve),
    );
    const after = await serviceIn(folder);
    const listed = await after.api.get('/api/certificate/get-certificate');
    const url = textAt(listed.body, 'result.0.certificate');
    expect(new URL(url).port).not.toBe(new URL(result.certificate).port);
    expect(new URL(url).pathname).toBe(new URL(result.certificate).pathname);
    expect((await fetched(url)).bytes.length).toBeGreaterThan(0);
    await after.close();
    await new Promise((resolve) => squatter.close(resolve));
    const last = await serviceIn(folder);
    expect((await fetched(result.certificate)).bytes.length).toBeGreaterThan(0);
    await last.close();
  });
});
