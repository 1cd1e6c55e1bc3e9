import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.js';
import { textAt, wrongFields } from './client.js';
import { CHAIN_OF_THREE, openReleases, type Releases } from './releases.js';

let releases: Releases;
beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

function organisation(index: number): JsonObject {
  return { type: 'organisation', address: releases.platform.wallets[index] ?? '' };
}

async function release(name: string) {
  const version = await releases.compiled(name, { sources: CHAIN_OF_THREE });
  const deploy = (deployment_params: Json, wallet_options: Json, callback_url?: string) =>
    releases.api.post(`${version.path}/deploy`, {
      wallet_options,
      deployment_params,
      ...(callback_url !== undefined && { callback_url }),
    });
  return { ...version, deploy };
}

describe('a deployment', () => {
  it('is refused where a token names a contract that comes later, though an older one stands', async () => {
    const { deploy, ids } = await release('Later in the request');
    const url = releases.receiver.url();
    const registry = { sc_artifact_id: ids['Registry'] ?? 0, params: null, order: 20 };
    const token = {
      sc_artifact_id: ids['Token'] ?? 0,
      params: { _registry: '{Registry_ADDRESS}', _cap: '1' },
      order: 30,
    };
    const shop = { sc_artifact_id: ids['Shop'] ?? 0, params: { _token: '{Token_ADDRESS}' }, order: 10 };
    await deploy([registry, token], organisation(2), url);
    await releases.receiver.received(url);
    const answer = await deploy([shop, registry, token], organisation(2));
    expect(wrongFields(answer)).toEqual(['deployment_params.0.params._token']);
    expect(JSON.stringify(answer.body)).toContain(
      'Shop with order 10 names {Token_ADDRESS}, but Token comes later in this request (order 30)',
    );
  });

  it('is refused where a token names itself, or what could be one of two', async () => {
    const { deploy, ids } = await release('Names of several');
    const refused = async (items: readonly JsonObject[]) =>
      wrongFields(
        await deploy(
          items.map((item, order) => ({ order, ...item })),
          organisation(3),
        ),
      );
    const registry = { sc_artifact_id: ids['Registry'] ?? 0 };
    const token = (name: string): JsonObject => ({
      sc_artifact_id: ids['Token'] ?? 0,
      params: { _registry: `{${name}_ADDRESS}`, _cap: '1' },
    });
    expect(await refused([token('Token')])).toEqual(['deployment_params.0.params._registry']);
    expect(await refused([registry, registry, token('Registry')])).toEqual([
      'deployment_params.2.params._registry',
    ]);
    expect(await refused([registry, token('Registry'), registry])).toEqual([
      'deployment_params.1.params._registry',
    ]);
    expect(
      await refused([
        { ...token('Registry'), order: 1 },
        { ...registry, order: 1 },
      ]),
    ).toEqual(['deployment_params.0.params._registry', 'deployment_params.1.order']);
    for (const index of [0, 1]) {
      const url = releases.receiver.url();
      const once = await deploy([{ ...registry, order: index }], organisation(3), url);
      if (index === 0) expect(once.status).toBe(200);
      await releases.receiver.received(url);
    }
    expect(await refused([token('Registry')])).toEqual(['deployment_params.0.params._registry']);
  });
});

describe('the times of a version', () => {
  it.each([
    ['within the second in which it was compiled', 0],
    ['by a clock that was put back', -3_600_000],
  ])('say that it was deployed after it was compiled, also %s', async (_, shift) => {
    let time = 1_900_000_000_900;
    const here = await openReleases({ now: () => time });
    try {
      const { path, ids } = await here.compiled('Times', { sources: CHAIN_OF_THREE });
      time += shift;
      const wallet_options = { type: 'organisation', address: here.platform.wallets[0] ?? '' };
      const callback_url = here.receiver.url();
      const deployment_params = [{ sc_artifact_id: ids['Registry'] ?? 0, order: 1 }];
      const asked = await here.api.post(`${path}/deploy`, {
        wallet_options,
        deployment_params,
        callback_url,
      });
      await here.receiver.received(callback_url);
      const { body } = await here.api.get(path);
      const list = await here.api.get(path.slice(0, path.lastIndexOf('/')));
      const instances = await here.api.get('/api/contract/smart-contracts');
      const compiled = textAt(body, 'result.last_compiled_at');
      for (const deployed of [
        textAt(body, 'result.last_deployed_at'),
        textAt(list.body, 'result.0.last_deployed_at'),
        textAt(instances.body, 'result.0.deployed_at'),
      ]) {
        expect(deployed >= compiled).toBe(true);
        expect(deployed >= textAt(asked.body, 'result.created_at')).toBe(true);
      }
      expect(textAt(body, 'result.updated_at') >= textAt(body, 'result.created_at')).toBe(true);
    } finally {
      await here.close();
    }
  });
});
