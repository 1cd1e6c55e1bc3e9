import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, endpointOf, fillPath, type EndpointName } from '../../src/protocol/endpoint.js';
import { clientOf, idAt, listAt, textAt, type Client, type Credentials } from './client.js';
import { PNG } from './certificate-samples.js';
import { faultOf, operatorValue } from './operator-paths.js';
import { openReceiver, type Receiver } from './receiver.js';
import { openReleases, releasesOf, type Releases } from './releases.js';

/** Everything of one organisation that a request can name. */
interface World {
  readonly project: string;
  readonly version: string;
  readonly deployment: string;
  readonly instance: string;
  readonly artifact: string;
  readonly wallet: string;
  readonly person: string;
  readonly trail: string;
  readonly record: string;
  readonly category: string;
  readonly tag: string;
  readonly diplomas: string;
  readonly callback: string;
  /** Name of a fault rule. */
  readonly fault: string;
  /** Id of an API key. */
  readonly key: string;
  /** Transaction of a mint. */
  readonly mint: string;
}

const UNKNOWN: World = {
  project: 'nowhere',
  version: '9-nothing',
  deployment: 'nowhere_9_1',
  instance: '0x00000000000000000000000000000000DeaDBeef',
  artifact: '987654321',
  wallet: '0x00000000000000000000000000000000DeaDBeef',
  person: '0x00000000000000000000000000000000DeaDBeef',
  trail: '0x00000000000000000000000000000000DeaDBeef',
  record: '987654321',
  category: '987654321',
  tag: '987654321',
  diplomas: '0x00000000000000000000000000000000DeaDBeef',
  callback: '987654321',
  fault: 'nothing',
  key: '987654321',
  mint: `0x${'ab'.repeat(32)}`,
};

/** A request that would succeed for the owner of all that it names. */
interface Try {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly form?: Readonly<Record<string, string>>;
}

/** The chain is one for all organisations, as a public one is: whoever has a hash or an address may look there. */
const PUBLIC: ReadonlySet<string> = new Set<EndpointName>([
  'transaction.detail',
  'transaction.receipt',
  'account.nonce',
  'utils.estimate-gas',
  'utils.simulate-transaction',
]);

/** What fills each `{name}` of a path, by the first part of the endpoint's name where it differs. */
function pathValue(endpoint: EndpointName, name: string, world: World): string {
  if (name === 'projectSlug') return world.project;
  if (name === 'versionSlug') return world.version;
  const values: readonly (readonly [prefix: string, name: string, value: string])[] = [
    ['audit.record', 'id', world.record],
    ['audit.category', 'id', world.category],
    ['audit.tag', 'id', world.tag],
    ['audit.contract', 'address', world.trail],
    ['certificate.contract', 'address', world.diplomas],
    ['instance', 'address', world.instance],
    ['wallet', 'address', world.wallet],
  ];
  const found = values.find(([prefix, key]) => key === name && endpoint.startsWith(prefix));
  // A new path parameter must say here whose it is.
  if (!found) throw new Error(`no sample for {${name}} of ${endpoint}`);
  return found[2];
}

const STRANGER = '0x1111111111111111111111111111111111111111';

/** Bodies and queries that name things of an organisation; endpoints that are not here name things in the path only. */
function contentOf(world: World): Partial<Record<EndpointName, Pick<Try, 'json' | 'query' | 'form'>>> {
  const mint = { wallet_address: world.wallet, contract_address: world.diplomas, to: STRANGER };
  const form = { ...mint, name: 'n', description: 'd', attributes: '[]' };
  const owner = { wallet_address_owner: world.person, max_supply: 0, name: 'n', symbol: 's' };
  const labels = { category_id: [Number(world.category)], tag_id: [Number(world.tag)] };
  const method = {
    wallet_options: { type: 'organisation', address: world.wallet },
    method_name: 'set',
    params: {},
  };
  return {
    'version.create': { form: versionForm() },
    'version.update': { form: versionForm() },
    'version.deploy': {
      json: {
        wallet_options: { type: 'organisation', address: world.wallet },
        deployment_params: [{ sc_artifact_id: Number(world.artifact), order: 1 }],
      },
    },
    'project.update': { json: { project_name: 'Taken' } },
    'audit.record.create': {
      json: { wallet_address: world.wallet, contract_address: world.trail, metadata: 'm', ...labels },
    },
    'audit.record.label': { json: labels },
    'audit.category.update': { json: { name: 'Taken' } },
    'audit.tag.update': { json: { name: 'Taken' } },
    'audit.record.list': { query: { category: world.category, tag: world.tag } },
    'audit.transactions': { query: { wallet_address: world.wallet, contract_address: world.trail } },
    'certificate.contract.create': { json: { wallet_address: world.wallet, name: 'n', field: owner } },
    'certificate.mint': { form },
    'certificate.mint-small': { form },
    'certificate.mint-medium': { form },
    'certificate.mint-large': { form },
    'certificate.transfer': { json: { ...mint, nft_id: '1' } },
    'certificate.owner-transfer': { json: { ...mint, to: STRANGER } },
    'certificate.list': {
      query: { from: world.wallet, contract_address: world.diplomas, tx_id: world.mint },
    },
    'certificate.transactions': {
      query: { wallet_address: world.wallet, contract_address: world.diplomas, filter: 'to' },
    },
    'instance.list': { query: { 'filter-version': world.version, 'filter-deployment_id': world.deployment } },
    'instance.call': { json: { method_name: 'kind', params: {}, from: world.wallet } },
    'instance.execute': { json: method },
    'wallet.update': { json: { name: 'Taken', entity_id: 1 } },
  };
}

function versionForm(): Readonly<Record<string, string>> {
  return {
    version: '2.0.0',
    'compiler_settings[solidity][version]': 'v0.8.37',
    'compiler_settings[solidity][settings][optimizer][enabled]': '0',
    'compiler_settings[solidity][settings][optimizer][runs]': '1',
  };
}

function tryOf(endpoint: EndpointName, world: World): Try {
  const { method, path } = endpointOf(endpoint);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const params = Object.fromEntries(names.map((name) => [name, pathValue(endpoint, name, world)]));
  return { method, path: fillPath(path, params), ...contentOf(world)[endpoint] };
}

async function send(apiUrl: string, key: Credentials, attempt: Try): Promise<string> {
  const query = new URLSearchParams(attempt.query).toString();
  const auth: Record<string, string> = { client_id: key.client_id, client_secret: key.client_secret };
  const form = new FormData();
  for (const [name, value] of Object.entries(attempt.form ?? {})) form.append(name, value);
  if (attempt.form && 'version' in attempt.form)
    form.append('contract_files[]', new Blob(['contract C {}']), 'C.sol');
  else if (attempt.form) form.append('file', new Blob([new Uint8Array(PNG)]), 'a.png');
  const init = attempt.form
    ? { body: form, headers: auth }
    : attempt.json
      ? { body: JSON.stringify(attempt.json), headers: { ...auth, 'content-type': 'application/json' } }
      : { headers: auth };
  const answer = await fetch(`${apiUrl}${attempt.path}?${query}`, { method: attempt.method, ...init });
  return `${String(answer.status)} ${await answer.text()}`;
}

let releases: Releases;
let receiver: Receiver;
let theirs: World;
let mine: World;
let myKey: Credentials;
const routes: { readonly method: string; readonly url: string }[] = [];

/** Fastify tells of every server it makes: so the walk sees the routes that are there, not those we think of. */
const watch = (message: unknown): void => {
  const { fastify } = message as {
    readonly fastify: {
      addHook(name: 'onRoute', hook: (route: { method: string | string[]; url: string }) => void): void;
    };
  };
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, url });
  });
};

beforeAll(async () => {
  subscribe('fastify.initialization', watch);
  releases = await openReleases();
  receiver = await openReceiver();
  theirs = await worldOf(releases.api, releases.platform.apiKey!, 'Theirs');
  const { body } = await releases.api.post('/_platform/keys', {
    name: 'third',
    organisation: 'org-3',
    scopes: 'read,write,operate',
  });
  myKey = {
    client_id: textAt(body, 'result.client_id'),
    client_secret: textAt(body, 'result.client_secret'),
  };
  mine = await worldOf(clientOf(releases.platform.apiUrl, myKey), myKey, 'Mine');
}, 120_000);

afterAll(async () => {
  unsubscribe('fastify.initialization', watch);
  await receiver.close();
  await releases.close();
});

async function worldOf(api: Client, key: Credentials, name: string): Promise<World> {
  const tools = releasesOf(releases.platform.apiUrl, key, api);
  const wallet = textAt((await api.post('/api/wallet/wallet', { name })).body, 'result.address');
  const source =
    'pragma solidity >=0.5.0; contract Box { uint public kind; function set() public { kind = 7; } }';
  const { project, slug, ids, path } = await tools.compiled(name, {
    version: name,
    sources: { 'Box.sol': source },
  });
  const done = async (where: string, body: object): Promise<ReturnType<Receiver['received']>> => {
    const callback_url = receiver.url();
    await api.post(where, { ...body, callback_url });
    return receiver.received(callback_url);
  };
  const deployed = await done(`${path}/deploy`, {
    wallet_options: { type: 'organisation', address: wallet },
    deployment_params: [{ sc_artifact_id: ids['Box'], order: 1 }],
  });
  const person = await api.post('/api/wallet/create-user', { name, email: 'a@example.com', ic: '1' });
  const trail = await done('/api/audit/contracts', { name, field: { encrypt_data: false } });
  const trailAddress = textAt(trail, 'contract_address');
  const category = idAt((await api.post('/api/audit/category', { name })).body, 'result.id');
  const tag = idAt((await api.post('/api/audit/tag', { name })).body, 'result.id');
  const labels = { category_id: [Number(category)], tag_id: [Number(tag)] };
  const note = { wallet_address: wallet, contract_address: trailAddress, metadata: name, ...labels };
  await done('/api/audit/audit', note);
  const records = listAt((await api.get('/api/audit/audit')).body, 'result');
  const owner = { wallet_address_owner: wallet, max_supply: 0, name, symbol: 'D' };
  const body = { wallet_address: wallet, name, field: owner };
  const diplomas = textAt(
    await done('/api/certificate/create-smartcontract', body),
    'result.contract_address',
  );
  const callback_url = receiver.url();
  const fields = { wallet_address: wallet, to: wallet, contract_address: diplomas, name, description: 'd' };
  const image = { filename: 'a.png', bytes: PNG };
  const mint = await api.form(
    '/api/certificate/mint-certificate',
    { ...fields, attributes: '[]', callback_url },
    image,
  );
  await receiver.received(callback_url);
  return {
    project,
    version: slug,
    deployment: textAt(deployed, 'deployment_id'),
    instance: textAt(deployed, 'deployed_contract_addresses.0.contract_address'),
    artifact: String(ids['Box']),
    wallet,
    person: textAt(person.body, 'result.wallet.wallet_address'),
    trail: trailAddress,
    record: idAt(records[0]!, 'id'),
    category,
    tag,
    diplomas,
    callback: idAt(listAt((await api.get('/_platform/callbacks')).body, 'result')[0]!, 'id'),
    fault: await faultOf(api, name.toLowerCase()),
    key: idAt(listAt((await api.get('/_platform/keys')).body, 'result').at(-1)!, 'id'),
    mint: textAt(mint.body, 'result.transactionHash'),
  };
}

const everything = Object.keys(ENDPOINTS) as EndpointName[];

describe('somebody else’s thing', () => {
  it('looks in every endpoint exactly as one that does not exist, whatever else the request names', async () => {
    const different: string[] = [];
    let compared = 0;
    for (const endpoint of everything.filter((name) => !PUBLIC.has(name))) {
      for (const member of Object.keys(UNKNOWN) as (keyof World)[]) {
        const stolen = tryOf(endpoint, { ...mine, [member]: theirs[member] });
        const unknown = tryOf(endpoint, { ...mine, [member]: UNKNOWN[member] });
        if (JSON.stringify(stolen) === JSON.stringify(unknown)) continue;
        compared += 1;
        const { apiUrl } = releases.platform;
        const [seen, absent] = [await send(apiUrl, myKey, stolen), await send(apiUrl, myKey, unknown)];
        if (plain(seen, stolen) !== plain(absent, unknown)) different.push(`${endpoint} ${member}: ${seen}`);
      }
    }
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(60);
  }, 120_000);

  it('is not changed by any of that, and no request of its owner was refused for the samples’ sake', async () => {
    const { apiUrl, apiKey } = releases.platform;
    for (const endpoint of everything.filter(
      (name) => endpointOf(name).method === 'GET' && !PUBLIC.has(name),
    )) {
      const answer = await send(apiUrl, apiKey!, tryOf(endpoint, theirs));
      expect(`${endpoint} ${answer.slice(0, 3)}`).toBe(`${endpoint} 200`);
      expect(answer).not.toContain('Taken');
      expect(answer).not.toContain(mine.wallet);
    }
  });

  it('is not to be had from the operator’s and the console’s routes either', async () => {
    const { apiUrl, apiKey } = releases.platform;
    const naming = routes.filter(({ url }) => url.startsWith('/_platform/') && url.includes(':'));
    const attempt = (route: (typeof routes)[number], world: World): Try => {
      const bare = route.method === 'GET' || route.method === 'HEAD';
      const path = route.url.replace(/:(\w+)/g, (_, name: string) => operatorValue(route.url, name, world));
      return { method: route.method, path, ...(!bare && { json: {} }) };
    };
    for (const route of naming) {
      const stolen = await send(apiUrl, myKey, attempt(route, theirs));
      expect(stolen).toBe(await send(apiUrl, myKey, attempt(route, UNKNOWN)));
      if (route.method !== 'HEAD') expect(`${route.url} ${stolen.slice(0, 3)}`).toBe(`${route.url} 404`);
    }
    for (const route of naming.filter(({ method }) => method === 'GET')) {
      const answer = await send(apiUrl, apiKey!, attempt(route, theirs));
      expect(`${route.url} ${answer.slice(0, 3)}`).toBe(`${route.url} 200`);
    }
    expect(naming.length).toBeGreaterThan(10);
  });

  it('is in none of the console’s lists, whatever page or filter is asked for', async () => {
    const { apiUrl } = releases.platform;
    const lists = routes
      .filter(({ method, url }) => method === 'GET' && /^\/_platform\/[^:]*$/.test(url))
      // What I asked for is mine, whatever I named: the walks above named theirs.
      .filter(({ url }) => url !== '/_platform/console/requests');
    const secrets = [
      theirs.project,
      theirs.deployment,
      theirs.instance,
      theirs.wallet,
      theirs.diplomas,
      theirs.mint,
    ];
    for (const { method, url } of lists) {
      for (const query of [{}, { page: '1', q: theirs.wallet.slice(2, 12) }, { q: 'theirs' }]) {
        const answer = await send(apiUrl, myKey, { method, path: url, query });
        expect(`${url} ${answer.slice(0, 3)}`).toMatch(/ 200$|clock 404$/);
        expect(secrets.filter((secret) => answer.includes(secret))).toEqual([]);
      }
    }
    expect(lists.length).toBeGreaterThan(8);
  });
});

describe('every route of the server', () => {
  it('is an endpoint that the walk covers, or one that is known to need no tenant', () => {
    const known = new Set(
      everything.map((name) => {
        const { method, path } = endpointOf(name);
        return `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`;
      }),
    );
    const rest = routes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${url}`)
      .filter((route) => !known.has(route) && !/^\w+ \/(_platform|__truth)\//.test(route));
    expect(rest.filter((route) => !NO_TENANT.test(route))).toEqual([]);
    expect(routes.length).toBeGreaterThan(60);
  });

  it('with an endpoint or an operator’s path refuses a request without a key, before it reads the body', async () => {
    const { apiUrl } = releases.platform;
    const keyed = routes.filter(({ url }) => /^\/(api|_platform)\//.test(url));
    expect(keyed.length).toBeGreaterThan(50);
    for (const { method, url } of keyed) {
      const path = url.replace(/:\w+/g, '1');
      const body = method === 'GET' || method === 'HEAD' ? undefined : '{"broken":';
      const headers = { 'content-type': 'application/json' };
      const answer = await request(`${apiUrl}${path}`, {
        method: method as 'POST',
        ...(body !== undefined && { body, headers }),
      });
      await answer.body.dump();
      expect(`${method} ${url} ${String(answer.statusCode)}`).toBe(`${method} ${url} 401`);
    }
  });
});

/** Health, the page for people and its signing in, what a key is told of itself, kept files (by unguessable name), the chain's own address. */
const NO_TENANT =
  /^((POST|DELETE) \/console\/session$|GET \/$|GET \/health$|GET \/ready$|GET \/api\/key$|GET \/metrics$|GET \/files\/|POST \/rpc$|GET \/(docs|openapi|console)\b)/;

/** An answer without what the request itself said: some lists name their own address. */
function plain(answer: string, { path, query }: Try): string {
  return [path, ...Object.values(query ?? {})].reduce((text, said) => text.replaceAll(said, '…'), answer);
}
