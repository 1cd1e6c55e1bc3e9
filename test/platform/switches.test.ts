import { afterEach, describe, expect, it } from 'vitest';
import type { PlatformOptions } from '../../src/platform/platform.js';
import { unwrap } from '../../src/protocol/envelope.js';
import { at, listAt, textAt } from './client.js';
import { CHAIN_OF_THREE, openReleases, type Releases } from './releases.js';

let releases: Releases | undefined;
afterEach(async () => {
  await releases?.close();
  releases = undefined;
});

async function open(options: Partial<PlatformOptions>): Promise<Releases> {
  releases = await openReleases(options);
  return releases;
}

/** Deploys a registry, and a token that its constructor refuses. */
async function halfDeployed({ compiled, api, receiver, platform }: Releases) {
  const { ids, path } = await compiled('Half', { sources: CHAIN_OF_THREE });
  const callback_url = receiver.url();
  const params = { _registry: '{Registry_ADDRESS}', _cap: 0 };
  await api.post(`${path}/deploy`, {
    wallet_options: { type: 'organisation', address: platform.wallets[0] ?? '' },
    deployment_params: [
      { sc_artifact_id: ids['Registry'] ?? 0, order: 1 },
      { sc_artifact_id: ids['Token'] ?? 0, params, order: 2 },
    ],
    callback_url,
  });
  return { path, body: await receiver.received(callback_url) };
}

describe('a platform that is set up so', { timeout: 120_000 }, () => {
  it('lists nothing in the callback of a deployment that failed half-way', async () => {
    const service = await open({ listPartialDeployment: false });
    const { body } = await halfDeployed(service);
    expect(body).toMatchObject({ status: 'Error', deployed_contract_addresses: [] });
    const rows = await service.api.get('/api/contract/smart-contracts');
    expect(listAt(rows.body, 'result').map((row) => row['contract_name'])).toEqual(['Registry']);
  });

  it('refuses a second deployment of a version', async () => {
    const { compiled, api, receiver, platform } = await open({ allowRedeploy: false });
    const { ids, path } = await compiled('Once', { sources: CHAIN_OF_THREE });
    const deploy = (callback_url?: string) =>
      api.post(`${path}/deploy`, {
        wallet_options: { type: 'organisation', address: platform.wallets[0] ?? '' },
        deployment_params: [{ sc_artifact_id: ids['Registry'] ?? 0, order: 1 }],
        ...(callback_url !== undefined && { callback_url }),
      });
    const url = receiver.url();
    expect((await deploy(url)).status).toBe(200);
    await receiver.received(url);
    const again = await deploy();
    expect(again.status).toBe(422);
    expect(Object.keys(again.body as object)).toEqual(['message']);
  });

  it('says the states of a version in its own words, those on the way too', async () => {
    const statusWords = {
      compiling: 'compiling',
      compiled: 'compile_success',
      compile_failed: 'error',
      deploying: 'deploying',
    };
    const { api, platform, submit, project, detail } = await open({ statusWords });
    const slug = await project('Words');
    const versions = `/api/contract/projects/${slug}/versions`;
    const seen = async (version: string): Promise<readonly string[]> => {
      const words = new Set<string>();
      for (;;) {
        const word = textAt(await detail(slug, version), 'status');
        words.add(word);
        if (word !== 'compile_queued' && word !== 'compiling') return [...words];
      }
    };
    const good = await submit(versions, { sources: CHAIN_OF_THREE });
    expect(at(good.body, 'result.status')).toMatch(/^compil/);
    const words = await seen('1-100');
    expect(words.at(-1)).toBe('compile_success');
    expect(words).toContain('compiling');
    await submit(versions, { sources: { 'Bad.sol': 'contract {' } });
    expect((await seen('2-100')).at(-1)).toBe('error');
    const version = await detail(slug, '1-100');
    const artifact = listAt(version, 'artifacts').find((one) => one['contract_name'] === 'Registry');
    await api.post(`${versions}/1-100/deploy`, {
      wallet_options: { type: 'organisation', address: platform.wallets[0] ?? '' },
      deployment_params: [{ sc_artifact_id: artifact?.['id'] ?? 0, order: 1 }],
    });
    const after = new Set<string>();
    while (!after.has('deployed')) {
      const list = await api.get(versions);
      after.add(
        textAt(
          listAt(list.body, 'result').find((one) => one['slug'] === '1-100')!,
          'status',
        ),
      );
    }
    expect([...after].filter((word) => word !== 'deploying')).toEqual(['deployed']);
  });

  it('refuses inside the envelope with status 200, where the envelope has a status', async () => {
    const { api, platform } = await open({ refusals: 'envelope' });
    const answer = await api.post('/api/audit/audit', { metadata: 'm' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 422, errors: { wallet_address: [expect.any(String)] } });
    expect(unwrap(answer.body)).toMatchObject({ type: 'failure' });
    expect((await api.get('/api/audit/audit/9')).body).toEqual({ status: 404, message: 'Not Found' });
    const nobody = await fetch(`${platform.apiUrl}/api/wallet/wallet`);
    expect([nobody.status, await nobody.json()]).toEqual([200, { status: 401, message: 'Unauthenticated.' }]);
    expect((await api.post('/api/contract/projects', {})).status).toBe(422);
  });

  it('posts a callback four times, with pauses of 5, 10 and 15 minutes, and no fifth time', async () => {
    let ahead = 0;
    const { api } = await open({ redelivery: 'four-times', now: () => Date.now() + ahead });
    const send = (port: number) =>
      api.post('/api/audit/contracts', {
        name: 'Trail',
        field: { encrypt_data: false },
        callback_url: `http://127.0.0.1:${String(port)}/nobody`,
      });
    const oldest = async () => listAt((await api.get('/_platform/callbacks')).body, 'result').at(-1) ?? {};
    const after = async (attempts: number) => {
      for (;;) {
        const callback = await oldest();
        if (Number(callback['attempts'] ?? 0) >= attempts) return callback['state'];
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await send(1);
    expect(await after(1)).toBe('pending');
    for (const [index, minutes] of [5, 10, 15].entries()) {
      ahead += minutes * 60_000 - 30_000;
      // Another callback makes the outbox look: what is not due yet stays.
      await send(2 + index);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(Number((await oldest())['attempts'])).toBe(index + 1);
      ahead += 60_000;
      await send(2 + index);
      expect(await after(index + 2)).toBe(index < 2 ? 'pending' : 'given-up');
    }
  });
});
