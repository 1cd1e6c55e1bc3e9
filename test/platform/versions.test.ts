import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, listAt, textAt, wrongFields } from './client.js';
import { CHAIN_OF_THREE, openReleases, type Releases } from './releases.js';

let releases: Releases;

beforeAll(async () => {
  releases = await openReleases();
});
afterAll(() => releases.close());

const FLAT = {
  'Main.sol': `pragma solidity ^0.8.0; import "./Part.sol"; abstract contract Draft { function f() public virtual; }
    contract Main is Part { constructor(string memory _name) { name = _name; } }`,
  'Part.sol':
    'pragma solidity ^0.8.0; interface Face { function g() external; } contract Part { string public name; }',
};

describe('a contract version', () => {
  it('is queued with the settings as given, then compiled into one artifact per contract', async () => {
    const project = await releases.project('Registry One');
    const created = await releases.submit(`/api/contract/projects/${project}/versions`, {
      version: 'v1.0.1',
      sources: FLAT,
    });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({
      message: 'Success',
      result: {
        status: 'compile_queued',
        compile_type: 'standard',
        version: 'v1.0.1',
        slug: '1-v101',
        compiler_settings: {
          solidity: { version: '0.8.37', settings: { optimizer: { enabled: true, runs: 200 } } },
        },
        last_compiled_at: null,
        latest_error: '',
      },
    });
    const version = await releases.settled(project, '1-v101');
    expect(version).toMatchObject({
      status: 'compiled',
      compiler_settings: { solidity: '0.8.37' },
      latest_error: '',
    });
    const artifacts = listAt(version, 'artifacts');
    expect(artifacts.map((one) => one['contract_name'])).toEqual(['Draft', 'Main', 'Face', 'Part']);
    expect(artifacts.map((one) => one['bytecode'] === '0x')).toEqual([true, false, true, false]);
  });

  it('serves each uploaded source byte for byte, as a download', async () => {
    const { project, slug } = await releases.compiled('Sources', { sources: FLAT });
    const files = listAt(await releases.detail(project, slug), 'contract_files');
    expect(files.map((file) => file['filename'])).toEqual(['Main.sol', 'Part.sol']);
    const response = await fetch(textAt(files[1]!, 'url'));
    expect(await response.text()).toBe(FLAT['Part.sol']);
    expect(response.headers.get('content-disposition')).toContain('attachment');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('that does not compile says why in the words of the compiler', async () => {
    const project = await releases.project('Broken');
    const path = `/api/contract/projects/${project}/versions`;
    await releases.submit(path, {
      sources: { 'Bad.sol': 'pragma solidity ^0.8.0; contract Bad { uint x = "a"; }' },
    });
    const version = await releases.settled(project, '1-100');
    expect(version['status']).toBe('compile_failed');
    expect(version['latest_error']).toContain('Bad.sol:1');
    expect(version['artifacts']).toEqual([]);
    const fixed = { sources: { 'Bad.sol': 'pragma solidity ^0.8.0; contract Bad { uint x = 1; }' } };
    expect(textAt((await releases.submit(`${path}/1-100`, fixed)).body, 'result.status')).toBe(
      'compile_queued',
    );
    expect(await releases.settled(project, '1-100')).toMatchObject({ status: 'compiled', latest_error: '' });
  });

  it.each(['0.5.17', '0.6.12', '0.8.24'])(
    'is compiled with exactly solc %s when it asks for it',
    async (solc) => {
      const modern = CHAIN_OF_THREE['Chain.sol'];
      const pinned = modern.replace('>=0.5.0', solc);
      const { artifacts } = await releases.compiled(`Pinned ${solc}`, {
        solc,
        sources: { 'Chain.sol': pinned },
      });
      const [first] = artifacts;
      const [major, minor, patch] = solc.split('.').map(Number);
      const stamp = Buffer.from([major ?? 0, minor ?? 0, patch ?? 0]).toString('hex');
      expect(textAt(first!, 'bytecode')).toContain(`64736f6c6343${stamp}`);
    },
    120_000,
  );

  it('imports from the packages it names, and from nothing else', async () => {
    const source = `pragma solidity ^0.8.20; import "@openzeppelin/contracts/token/ERC20/ERC20.sol";
      contract Coin is ERC20 { constructor() ERC20("Coin", "C") {} }`;
    const project = await releases.project('Packages');
    const path = `/api/contract/projects/${project}/versions`;
    const packages = ['@openzeppelin/contracts@5.0.2'];
    await releases.submit(path, { packages, sources: { 'Coin.sol': source } });
    await releases.submit(path, { sources: { 'Coin.sol': source } });
    const outside =
      'pragma solidity ^0.8.20; import "@openzeppelin/contracts/../../../etc/passwd"; contract A {}';
    await releases.submit(path, { packages, sources: { 'A.sol': outside } });
    const named = await releases.settled(project, '1-100');
    expect(named).toMatchObject({ status: 'compiled', packages });
    expect(listAt(named, 'artifacts').map((one) => one['contract_name'])).toEqual(['Coin']);
    expect((await releases.settled(project, '2-100'))['latest_error']).toContain('@openzeppelin/contracts');
    expect((await releases.settled(project, '3-100'))['status']).toBe('compile_failed');
  }, 120_000);

  it('lists what an upload imports from a package when that can be deployed as it is', async () => {
    const source = `pragma solidity ^0.8.20;
      import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
      import '@openzeppelin/contracts/token/ERC20/ERC20.sol';
      contract Coin is ERC20 { constructor() ERC20("Coin", "C") {} }`;
    const packages = ['@openzeppelin/contracts@5.0.2'];
    const { artifacts } = await releases.compiled('Imported', { packages, sources: { 'Coin.sol': source } });
    expect(artifacts.map((one) => one['contract_name'])).toEqual(['Coin', 'ERC1967Proxy']);
    expect(artifacts.map((one) => textAt(one, 'bytecode').length)).not.toContain(2);
  }, 120_000);

  it('fails with the reason when its package or compiler does not exist', async () => {
    const project = await releases.project('Unknown');
    const path = `/api/contract/projects/${project}/versions`;
    const sources = { 'A.sol': 'pragma solidity ^0.8.0; contract A {}' };
    await releases.submit(path, { solc: '0.8.999', sources });
    const version = await releases.settled(project, '1-100');
    expect(version['status']).toBe('compile_failed');
    expect(version['latest_error']).toContain('solc@0.8.999');
  }, 120_000);

  it('is refused with every wrong field at once', async () => {
    const project = await releases.project('Wrong');
    const answer = await releases.submit(`/api/contract/projects/${project}/versions`, {
      version: 'one two',
      solc: 'latest',
      packages: ['file:../secret'],
      sources: { 'a.txt': 'x' },
    });
    expect(wrongFields(answer)).toEqual([
      'version',
      'compiler_settings.solidity.version',
      'packages.0',
      'contract_files.0',
    ]);
    expect(at((await releases.api.get(`/api/contract/projects/${project}/versions`)).body, 'result')).toEqual(
      [],
    );
  });

  it('is listed in pages of ten, newest first', async () => {
    const project = await releases.project('Many');
    const path = `/api/contract/projects/${project}/versions`;
    const sources = { 'A.sol': 'pragma solidity ^0.8.0; contract A {}' };
    for (let index = 0; index < 11; index += 1)
      await releases.submit(path, { version: `0.${String(index)}`, sources });
    const second = await releases.api.get(path, { page: '2' });
    expect(listAt(second.body, 'result').map((one) => one['slug'])).toEqual(['1-00']);
    expect(at(second.body, 'pagination')).toMatchObject({
      current_page: 2,
      last_page: 2,
      per_page: 10,
      total: 11,
      next_page_url: null,
    });
  });

  it('of somebody else looks like one that does not exist', async () => {
    const { path } = await releases.compiled('Mine', { sources: FLAT });
    expect(await releases.stranger.get(path)).toEqual({ status: 404, body: { message: 'Not Found' } });
  });
});

describe('a project', () => {
  it('gets the slug of its name, with a number when the slug is taken, and keeps it when renamed', async () => {
    expect(await releases.project('Twice Told_Tale')).toBe('twice-told-tale');
    expect(await releases.project('Twice  told tale')).toBe('twice-told-tale-1');
    const detail = await releases.api.get('/api/contract/projects/twice-told-tale-1');
    expect(at(detail.body, 'result')).toMatchObject({ project_name: 'Twice  told tale', version: null });
  });
});
