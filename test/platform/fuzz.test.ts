import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { answerOf, faultsOf, OPERATIONS } from '../support/openapi.js';
import { chanceOf, draftOf, type Draft, type Pool } from '../support/request-fuzz.js';
import { at, idAt, textAt } from './client.js';
import { CHAIN_OF_THREE, openReleases, type Releases } from './releases.js';

/** `FUZZ_SEED` and `FUZZ_ROUNDS` find what one seed did not. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? 12);

let releases: Releases;
let pool: Pool;

beforeAll(async () => {
  releases = await openReleases({ redelivery: 'once' });
  pool = await settle();
}, 120_000);
afterAll(() => releases.close());

/** Things to ask about, so that requests reach further than the first check. */
async function settle(): Promise<Pool> {
  const { api, compiled, receiver, platform } = releases;
  const { project, slug, path, ids } = await compiled('Fuzz', { sources: CHAIN_OF_THREE });
  const wallet_options = { type: 'organisation', address: platform.wallets[0] ?? '' };
  const url = receiver.url();
  const registry = { sc_artifact_id: ids['Registry'] ?? 0, order: 1 };
  await api.post(`${path}/deploy`, { wallet_options, deployment_params: [registry], callback_url: url });
  const deployed = await receiver.received(url);
  const auditUrl = receiver.url();
  const field = { encrypt_data: false };
  await api.post('/api/audit/contracts', { name: 'Trail', field, callback_url: auditUrl });
  const trail = textAt(await receiver.received(auditUrl), 'contract_address');
  const certificateUrl = receiver.url();
  const owner = platform.wallets[0] ?? '';
  await api.post('/api/certificate/create-smartcontract', {
    wallet_address: owner,
    name: 'diplomas',
    field: { wallet_address_owner: owner, max_supply: 0, name: 'Diploma', symbol: 'DIP' },
    callback_url: certificateUrl,
  });
  const certificate = textAt(await receiver.received(certificateUrl), 'result.contract_address');
  const tag = idAt((await api.post('/api/audit/tag', { name: 'v1' })).body, 'result.id');
  const category = idAt((await api.post('/api/audit/category', { name: 'v1' })).body, 'result.id');
  const instance = textAt(deployed, 'deployed_contract_addresses.0.contract_address');
  const wallets = platform.wallets.slice(0, 3);
  return {
    projectSlug: [project],
    versionSlug: [slug],
    address: [instance, trail, certificate, ...wallets],
    wallet_address: wallets,
    wallet_address_owner: wallets,
    to: [...wallets, instance],
    from: wallets,
    contract_address: [trail, certificate, instance],
    Address: [...wallets, trail, certificate, instance],
    hash: [textAt(deployed, 'deployed_contract_addresses.0.receipt.transactionHash')],
    id: ['1', tag, category],
    sc_artifact_id: Object.values(ids).map(String),
    category_id: [category],
    tag_id: [tag],
    method_name: ['kind', 'kind()'],
    type: ['organisation', 'end_user', 'non_custodial'],
    'compiler_settings[solidity][version]': ['v0.8.37'],
    'compiler_settings[solidity]': ['0.8.37'],
    'packages[]': ['Not A Package'],
    'contract_files[]': ['contract Fuzz { }'],
    CallbackUrl: ['http://127.0.0.1:1/nobody'],
    Hex: ['0x', '0x6001', '0x60016002'],
    image: [''],
  };
}

async function sent({
  method,
  path,
  headers,
  body,
}: Draft): Promise<{ status: number; body: Json; after: string | null }> {
  const { client_id, client_secret } = releases.platform.apiKey!;
  const response = await fetch(`${releases.platform.apiUrl}${path}`, {
    method,
    headers: { client_id, client_secret, ...headers },
    ...(body !== undefined && { body }),
  });
  return {
    status: response.status,
    body: (await response.json()) as Json,
    after: response.headers.get('retry-after'),
  };
}

describe(`requests that the document allows, and spoilt ones (seed ${String(SEED)})`, () => {
  it.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
    '%s answers each of them in a documented shape, and never with 500',
    async (_id, operation) => {
      const chance = chanceOf(SEED + OPERATIONS.indexOf(operation) * 1009);
      for (let round = 0; round < ROUNDS; round += 1) {
        const draft = draftOf(operation, pool, chance);
        const answer = await sent(draft);
        const about = `round ${String(round)}: ${draft.method} ${draft.path.slice(0, 300)} ${typeof draft.body === 'string' ? draft.body.slice(0, 500) : '(form)'}`;
        expect(answer.status, about).toBeLessThan(500);
        const schema = answerOf(operation, answer.status);
        expect(schema, `${about}: ${String(answer.status)} is not documented`).toBeDefined();
        expect(faultsOf(schema!, answer.body, true), about).toEqual([]);
      }
    },
    60_000,
  );

  it('leave the platform well', async () => {
    const health = (await (await fetch(`${releases.platform.apiUrl}/health`)).json()) as Json;
    expect(at(health, 'status')).toBe('ok');
    expect((await releases.api.get('/api/contract/projects')).status).toBe(200);
  });
});
