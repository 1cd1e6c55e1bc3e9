import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { png, STORY, tellStory, type Files, type Story } from '../support/story.js';
import { schemaValidator } from '../state/schemas.js';

const OFFICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

function planOf(version: string, rest = ''): string {
  return `windlass: 1
name: review
wallets: { office: { address: '${OFFICE}' } }
projects:
  core: { versions: { ${version}: { compiler: { solidity: 0.8.37 }, sources: [core/*.sol] } } }
  spare: { versions: { 0.9.0: { compiler: { solidity: 0.8.37 }, sources: [spare/*.sol] } } }
  shop: { versions: { 1.0.0: { compiler: { solidity: 0.8.37 }, sources: [shop/*.sol] } } }
deployments:
  core: { version: core@${version}, wallet: { type: organisation, use: office }, contracts: { Base: { params: { cap: '7' } } } }
  shop: { version: shop@1.0.0, wallet: { type: organisation, use: office }, contracts: { Shop: { params: { base: <Base_ADDRESS> } } } }
${rest}`;
}

const BATCH = `certificates:
  contracts: { diplomas: { deployer: office, owner: office, name: D, symbol: D, max_supply: 0 } }
  batches: { class: { contract: diplomas, rows: rows.csv, key: id, to: "{{wallet}}", name: "No {{id}}", description: "-", image: one.png } }
`;

const BASE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Base {
  uint256 public limit;
  constructor(uint256 cap) {
    limit = cap;
  }
}
`;

const FILES: Files = {
  'windlass.yaml': planOf('1.0.0'),
  'core/Base.sol': BASE,
  'spare/Spare.sol': '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract Spare { }\n',
  'shop/Shop.sol':
    '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract Shop { address public at; constructor(address base) { at = base; } }\n',
  'one.png': png(9),
  'rows.csv': `id,wallet\n1,${OFFICE}\n2,${OFFICE}\n`,
};

interface Document {
  readonly changes: readonly {
    readonly id: string;
    readonly action: string;
    readonly fix?: string;
    readonly trail?: readonly string[];
    readonly types?: Readonly<Record<string, string>>;
    readonly follows?: { readonly id: string; readonly fields: readonly { readonly path: string }[] };
    readonly drift: readonly { readonly path: string }[];
  }[];
}

async function changesOf({ run }: Story): Promise<(id: string) => Document['changes'][number] | undefined> {
  const { stdout } = await run('plan', '--format', 'json');
  const document = JSON.parse(stdout) as Document;
  const fits = schemaValidator('change-set');
  expect(fits(document) ? [] : fits.errors).toEqual([]);
  return (id) => document.changes.find((change) => change.id === id);
}

/** Sends other sources for an undeployed version, as somebody with the portal would. */
async function editSpare({ apiUrl, folder, get }: Story): Promise<void> {
  const platform = JSON.parse(await readFile(join(folder, '.windlass/platform.json'), 'utf8')) as Record<
    string,
    string
  >;
  const { client_id = '', client_secret = '' } = platform;
  const versions = (await get('/api/contract/projects/spare/versions')) as readonly {
    readonly slug: string;
  }[];
  const form = new FormData();
  form.set('version', '0.9.0');
  form.set('compiler_settings[solidity][version]', 'v0.8.37');
  form.set('compiler_settings[solidity][settings][optimizer][enabled]', '0');
  form.set('compiler_settings[solidity][settings][optimizer][runs]', '200');
  form.append(
    'contract_files[]',
    new Blob([`${FILES['spare/Spare.sol'] as string}// edited\n`]),
    'Spare.sol',
  );
  const url = `${apiUrl}/api/contract/projects/spare/versions/${versions[0]?.slug}`;
  const response = await fetch(url, { method: 'POST', headers: { client_id, client_secret }, body: form });
  expect(response.status).toBe(200);
}

test(
  'a release is reviewed: sealed version, new version, cascade, drift, page, run',
  async () => {
    await tellStory(FILES, {}, async (story) => {
      const { run, write, apply, folder } = story;
      await apply('--html', 'run.html');
      const runPage = await readFile(join(folder, 'run.html'), 'utf8');
      expect(runPage).toContain('>Done<');
      expect(runPage).toContain((await story.addresses())['contract.core.Base']);

      await write({ 'core/Base.sol': BASE.replace('limit = cap', 'limit = cap + 1') });
      const sealed = (await changesOf(story))('version.core@1.0.0');
      expect(sealed).toMatchObject({ action: 'blocked', fix: expect.stringContaining('1.0.1') as unknown });

      await write({ 'windlass.yaml': planOf('1.0.1', BATCH) });
      const change = await changesOf(story);
      expect(change('version.core@1.0.1')).toMatchObject({
        action: 'create',
        follows: { id: 'version.core@1.0.0', fields: [{ path: 'sources[Base.sol]' }] },
      });
      expect(change('contract.core.Base')).toMatchObject({
        action: 'replace',
        trail: ['version.core@1.0.1'],
        types: { cap: 'uint256' },
      });
      expect(change('contract.shop.Shop')).toMatchObject({
        action: 'replace',
        trail: ['version.core@1.0.1', 'contract.core.Base'],
      });

      await editSpare(story);
      expect((await changesOf(story))('version.spare@0.9.0')?.drift.map(({ path }) => path)).toContain(
        'sources[Spare.sol]',
      );

      const { stdout: page } = await run('plan', '--format', 'html');
      expect(page).toContain('Sources against <code>version.core@1.0.0</code>');
      expect(page).toMatch(/<span class="g">-.*limit = cap;/);
      expect(page).toMatch(/<span class="n">\+.*limit = cap \+ 1;/);
      expect(page.match(/<img src="data:image\/png;base64,/g)).toHaveLength(2);
      expect(page).not.toMatch(/<script|src="(?!data:)|href="(?!#)/);

      const saving = await run('plan', '--out', 'release.json', '--markdown-into', 'comment.md');
      expect(saving.stdout).toContain('Next: windlass apply release.json');
      const comment = await readFile(join(folder, 'comment.md'), 'utf8');
      expect(comment).toMatch(/```diff\n--- Base\.sol\n[^`]*\n- +limit = cap;\n\+ +limit = cap \+ 1;\n/);
      expect((await run('plan', '--markdown-into', 'windlass.yaml')).code).toBe(3);
      expect((await run('plan', '--full')).stdout).toMatch(/\n +\+ +limit = cap \+ 1;\n/);
      const { stdout: kept } = await run('show', 'release.json', '--format', 'html');
      expect(kept).toMatch(/<span class="n">\+.*limit = cap \+ 1;/);
      expect(kept).toContain('The sources of version.core@1.0.0 are not at hand here');
      expect(kept.match(/<img src="data:image\/png;base64,/g)).toHaveLength(2);

      const { stdout: counts } = await run('plan', '--format', 'gitlab');
      expect(JSON.parse(counts)).toEqual({ create: 6, update: 0, delete: 0 });

      await apply('--ui', '--target', 'contract.shop.Shop');
      const { code, stdout: last } = await run('status', '--format', 'html');
      expect(code).toBe(0);
      expect(last).toContain('contract.shop.Shop');
    });
  },
  STORY,
);
