import { expect, it } from 'vitest';
import {
  CAPABILITIES,
  ENDPOINTS,
  endpointOf,
  fillPath,
  type EndpointName,
} from '../../src/protocol/endpoint.js';
import { at, textAt } from './client.js';
import { openReleases } from './releases.js';

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const PARAMS = { projectSlug: 'p', versionSlug: 'v', address: 'a', hash: 'h', id: '1' };

async function statusWithoutKey(apiUrl: string, name: EndpointName): Promise<number> {
  const { method, path } = endpointOf(name);
  return (await fetch(`${apiUrl}${fillPath(path, PARAMS)}`, { method })).status;
}

it('a platform serves every endpoint that the protocol names', async () => {
  const releases = await openReleases();
  try {
    for (const name of NAMES) {
      expect([name, await statusWithoutKey(releases.platform.apiUrl, name)]).toEqual([name, 401]);
    }
  } finally {
    await releases.close();
  }
});

it('the core profile knows nothing beyond the interface, and its operator makes the projects', async () => {
  const releases = await openReleases({ capabilities: [] });
  try {
    for (const name of NAMES) {
      const beyond = endpointOf(name).capability !== undefined;
      const status = await statusWithoutKey(releases.platform.apiUrl, name);
      expect([name, status]).toEqual([name, beyond ? 404 : 401]);
    }
    const health = (await (await fetch(`${releases.platform.apiUrl}/health`)).json()) as object;
    expect(health).toMatchObject({ capabilities: [] });
    const made = await releases.api.post('/_platform/projects', { project_name: 'Registry' });
    const path = `/api/contract/projects/${textAt(made.body, 'result.slug')}/versions`;
    expect((await releases.api.get(path)).status).toBe(200);
    expect(at((await releases.api.get('/_platform/projects')).body, 'result.0.slug')).toBe('registry');
  } finally {
    await releases.close();
  }
});

it('a platform may have any of the capabilities', async () => {
  const releases = await openReleases({ capabilities: ['utils', 'receipts'] });
  try {
    const health = (await (await fetch(`${releases.platform.apiUrl}/health`)).json()) as object;
    expect(health).toMatchObject({
      capabilities: CAPABILITIES.filter((one) => one === 'utils' || one === 'receipts'),
    });
    expect((await releases.api.get('/api/contract/utils/chain-id')).status).toBe(200);
    expect((await releases.api.get('/api/contract/projects')).status).toBe(404);
  } finally {
    await releases.close();
  }
});
