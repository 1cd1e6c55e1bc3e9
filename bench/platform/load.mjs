import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** A small release: the second contract asks the first. */
export const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Store { uint256 public kind = 7; }
contract Reader { constructor(Store store, uint256 cap) { require(store.kind() == 7 && cap > 0, "no"); } }`;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A client of the service that never throws: no answer is an answer too. */
export function clientOf({ apiUrl, apiKey }) {
  const auth = { client_id: apiKey.client_id, client_secret: apiKey.client_secret };
  const call = async (path, init) => {
    try {
      const response = await fetch(`${apiUrl}${path}`, init);
      return { status: response.status, body: await response.json() };
    } catch {
      return undefined;
    }
  };
  return {
    get: (path) => call(path, { headers: auth }),
    post: (path, body) =>
      call(path, {
        method: 'POST',
        headers: { ...auth, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    form: (path, fields, files) => {
      const form = new FormData();
      for (const [name, value] of fields) form.append(name, value);
      for (const [name, bytes, filename] of files) form.append(name, new Blob([bytes]), filename);
      return call(path, { method: 'POST', headers: auth, body: form });
    },
  };
}

/** Makes what the load writes to: an audit contract, a certificate contract, a compiled version. */
export async function prepare(platform, receiver) {
  const api = clientOf(platform);
  const [deployer, owner] = platform.wallets;
  const made = async (path, body) => {
    const token = `prepare-${randomBytes(8).toString('hex')}`;
    await api.post(path, { ...body, callback_url: receiver.url(token) });
    while (!receiver.bodies.has(token)) await pause(20);
    const said = JSON.parse(receiver.bodies.get(token)[0]);
    return { address: (said.result ?? said).contract_address, token };
  };
  const trail = await made('/api/audit/contracts', { name: 'load', field: { encrypt_data: false } });
  const field = { wallet_address_owner: owner, max_supply: 0, name: 'Load', symbol: 'L' };
  const contract = { wallet_address: deployer, name: 'load', field };
  const diplomas = await made('/api/certificate/create-smartcontract', contract);
  const project = (await api.post('/api/contract/projects', { project_name: 'Load' })).body.result.slug;
  const base = `/api/contract/projects/${project}/versions`;
  const path = await submitVersion(api, base, SOURCE);
  let version = (await api.get(path)).body.result;
  for (; version.status === 'compile_queued'; version = (await api.get(path)).body.result) await pause(50);
  const ids = Object.fromEntries(version.artifacts.map(({ id, contract_name }) => [contract_name, id]));
  const own = [
    { token: trail.token, kind: 'trail', answer: { status: 200 } },
    { token: diplomas.token, kind: 'diplomas', answer: { status: 200 } },
  ];
  return {
    trail: trail.address,
    diplomas: diplomas.address,
    base,
    path,
    ids,
    own,
    wallets: platform.wallets,
  };
}

/** Submits a version and answers its path. */
export async function submitVersion(api, base, source) {
  const settings = 'compiler_settings[solidity]';
  const fields = [
    ['version', '1.0.0'],
    [`${settings}[version]`, 'v0.8.37'],
    [`${settings}[settings][optimizer][enabled]`, '1'],
    [`${settings}[settings][optimizer][runs]`, '200'],
  ];
  const created = await api.form(base, fields, [['contract_files[]', source, 'Store.sol']]);
  return `${base}/${created.body.result.slug}`;
}

/** Sends one request of a kind. `world` is what {@link prepare} made. */
export async function write(api, { world, receiver, chance }) {
  const token = randomBytes(12).toString('hex');
  const callback_url = receiver.url(token);
  const wallet = world.wallets[2 + Math.floor(chance() * 8)];
  const owner = world.wallets[1];
  const kinds = {
    record: () =>
      api.post('/api/audit/audit', {
        wallet_address: wallet,
        contract_address: world.trail,
        metadata: JSON.stringify({ token }),
        callback_url,
      }),
    mint: () =>
      api.form(
        '/api/certificate/mint-certificate',
        Object.entries({
          wallet_address: owner,
          to: wallet,
          contract_address: world.diplomas,
          name: token,
          description: 'd',
          attributes: '[]',
          callback_url,
        }),
        [['file', PNG, 'a.png']],
      ),
    deploy: () =>
      api.post(`${world.path}/deploy`, {
        wallet_options: { type: 'organisation', address: wallet },
        deployment_params: [
          { sc_artifact_id: world.ids.Store, order: 1 },
          {
            sc_artifact_id: world.ids.Reader,
            // One in four fails half-way: what stands stays, what follows is never sent.
            params: { store: '{Store_ADDRESS}', cap: chance() < 0.25 ? '0' : '1' },
            order: 2,
          },
        ],
        callback_url,
      }),
    trail: () =>
      api.post('/api/audit/contracts', { name: token, field: { encrypt_data: true }, callback_url }),
  };
  const names = ['record', 'record', 'record', 'mint', 'mint', 'mint', 'mint', 'deploy', 'deploy', 'trail'];
  const kind = names[Math.floor(chance() * names.length)];
  return { token, kind, answer: await kinds[kind]() };
}
