import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPublicClient, http } from 'viem';
import type { Json, JsonObject } from '../../src/model/json.js';
import { startPlatform, type PlatformOptions } from '../../src/platform/platform.js';
import { at, clientOf, listAt, textAt, type Answer, type Client, type Credentials } from './client.js';
import { testDatabase } from '../support/test-database.js';
import { openReceiver } from './receiver.js';

/** Compilers and packages that tests fetch, and what they compile, stay here from run to run. */
export const CACHE_DIR = process.env['WINDLASS_CACHE_DIR'] ?? join(tmpdir(), 'windlass-test-cache');

/** Where tests fetch from. */
const packages = process.env['WINDLASS_REGISTRY'] ? { url: process.env['WINDLASS_REGISTRY'] } : {};

/** The compiler that Windlass brings: nothing to fetch. */
const OWN_SOLC = '0.8.37';

/** A version to submit. */
export interface Submission {
  readonly version?: string;
  readonly solc?: string;
  readonly packages?: readonly string[];
  readonly sources: Readonly<Record<string, string>>;
}

/** Submits versions as a client does: multipart, nested field names, repeated files. */
export function releasesOf(apiUrl: string, credentials: Credentials, api: Client) {
  const submit = async (path: string, submission: Submission): Promise<Answer> => {
    const form = new FormData();
    form.append('version', submission.version ?? '1.0.0');
    form.append('compiler_settings[solidity][version]', `v${submission.solc ?? OWN_SOLC}`);
    form.append('compiler_settings[solidity][settings][optimizer][enabled]', '1');
    form.append('compiler_settings[solidity][settings][optimizer][runs]', '200');
    for (const name of submission.packages ?? []) form.append('packages[]', name);
    for (const [filename, text] of Object.entries(submission.sources)) {
      form.append('contract_files[]', new Blob([text]), filename);
    }
    const headers = { client_id: credentials.client_id, client_secret: credentials.client_secret };
    const response = await fetch(`${apiUrl}${path}`, { method: 'POST', headers, body: form });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const detail = async (project: string, slug: string): Promise<JsonObject> => {
    const { body } = await api.get(`/api/contract/projects/${project}/versions/${slug}`);
    return at(body, 'result') as JsonObject;
  };
  const settled = async (project: string, slug: string): Promise<JsonObject> => {
    for (;;) {
      const version = await detail(project, slug);
      if (version['status'] !== 'compile_queued') return version;
      await pause(20);
    }
  };
  return {
    submit,
    detail,
    /** The version once it is compiled, or has failed to. */
    settled,
    project: async (name: string): Promise<string> => {
      const { body } = await api.post('/api/contract/projects', { project_name: name });
      return textAt(body, 'result.slug');
    },
    /** A project with one compiled version, and the artifact ids by contract name. */
    compiled: async (name: string, submission: Submission) => {
      const { body } = await api.post('/api/contract/projects', { project_name: name });
      const project = textAt(body, 'result.slug');
      const created = await submit(`/api/contract/projects/${project}/versions`, submission);
      const slug = textAt(created.body, 'result.slug');
      const version = await settled(project, slug);
      if (version['status'] !== 'compiled') throw new Error(JSON.stringify(version['latest_error']));
      const artifacts = listAt(version, 'artifacts');
      const ids = Object.fromEntries(
        artifacts.map((one) => [textAt(one, 'contract_name'), Number(one['id'])]),
      );
      return { project, slug, ids, artifacts, path: `/api/contract/projects/${project}/versions/${slug}` };
    },
  };
}

/** A platform in a temporary folder with everything to release on it. Closing fails after an internal error. */
export async function openReleases(options: Partial<PlatformOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'releases-'));
  const failures: unknown[] = [];
  const failed = (cause: unknown) => failures.push(cause);
  const dataDir = join(folder, 'data');
  const database = await testDatabase();
  const common = { dataDir, cacheDir: CACHE_DIR, bcryptCost: 4, packages, failed, ...database };
  const platform = await startPlatform({ ...common, ...options });
  if (!platform.apiKey) throw new Error('a platform on loopback has a development key');
  const api = clientOf(platform.apiUrl, platform.apiKey);
  const { body } = await api.post('/_platform/keys', {
    name: 'second',
    organisation: 'org-2',
    scopes: 'read,write,operate',
  });
  const strangerKey = at(body, 'result') as unknown as Credentials;
  const receiver = await openReceiver();
  return {
    platform,
    dataDir,
    api,
    /** A client of an organisation that has nothing. */
    stranger: clientOf(platform.apiUrl, strangerKey),
    strangerKey,
    receiver,
    chain: createPublicClient({ transport: http(platform.rpcUrl) }),
    ...releasesOf(platform.apiUrl, platform.apiKey, api),
    close: async () => {
      await platform.stop();
      await receiver.close();
      await rm(folder, { recursive: true });
      if (failures.length > 0) throw new Error('the platform met an internal error', { cause: failures[0] });
    },
  };
}

/** Tools over one platform. */
export type Releases = Awaited<ReturnType<typeof openReleases>>;

/** A registry, a token that asks it, and a shop that asks the token: each constructor calls the contract before it. */
export const CHAIN_OF_THREE = {
  'Chain.sol': `// SPDX-License-Identifier: MIT
pragma solidity >=0.5.0;
contract Registry { uint256 public kind = 7; }
contract Token {
  Registry public registry; uint256 public cap;
  event Opened(uint256 indexed cap, string note);
  constructor(Registry _registry, uint256 _cap) public {
    require(_registry.kind() == 7, "no registry");
    require(_cap > 0, "cap is zero");
    registry = _registry; cap = _cap; emit Opened(_cap, "hello");
  }
}
contract Shop { Token public token; constructor(Token _token) public { require(_token.cap() > 0, "no token"); token = _token; } }
`,
};
