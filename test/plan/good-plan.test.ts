import { beforeAll, describe, expect, test } from 'vitest';
import { digestOfBytes } from '../../src/model/canonical.js';
import type { KindName, ResourceId } from '../../src/model/id.js';
import type { Plan } from '../../src/model/plan.js';
import type { AnyResource, InputsOf } from '../../src/model/resource.js';
import { loadFixture } from './fixture.js';

const REGISTRAR = '0x52908400098527886E0F7030069857D2E4169EE7';
const BOB = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

async function load(environment: string): Promise<Plan> {
  const loaded = await loadFixture({ path: 'good.yaml' }, environment);
  expect(loaded.diagnostics).toEqual([]);
  if (!loaded.ok) throw new Error('the plan is not good');
  return loaded.value;
}

let plan: Plan;
beforeAll(async () => {
  plan = await load('production');
});

function resource(id: ResourceId): AnyResource {
  const found = plan.resources.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
}

function inputs<K extends KindName>(kind: K, id: ResourceId): InputsOf[K] {
  const found = resource(id);
  expect(found.kind).toBe(kind);
  return found.inputs as InputsOf[K];
}

describe('environments', () => {
  test('resolve what is declared, with cautious defaults', async () => {
    expect(plan.environment).toEqual({
      name: 'production',
      baseUrl: 'https://live.example.com',
      callbacks: 'off',
      maxInFlight: 1,
      sendOrder: 'plan',
      capabilities: [],
      protected: true,
    });
    const { environment } = await load('test');
    expect(environment).toMatchObject({
      baseUrl: 'https://service.example.com',
      credentials: {
        clientId: { env: 'WINDLASS_VAR_TEST_CLIENT_ID' },
        clientSecret: { file: 'secrets/client' },
      },
      callbacks: { url: 'https://hooks.example.com', listen: '127.0.0.1:8787' },
      rateLimit: { requests: 50, windowMs: 60_000 },
      maxInFlight: 2,
      sendOrder: 'plan',
    });
  });

  test('local exists with callbacks on and many writes in flight, and may override wallets', async () => {
    const { environment, resources } = await load('local');
    expect(environment).toEqual({
      name: 'local',
      callbacks: {},
      maxInFlight: 32,
      sendOrder: 'plan',
      capabilities: [],
      protected: false,
    });
    expect(resources.find(({ id }) => id === 'wallet.bob')?.inputs).toEqual({
      name: { $personal: 'Bob Lim' },
      email: { $personal: 'bob@example.com' },
      ic: { $personal: '900101145678' },
    });
  });

  test('override wallets and variables', async () => {
    const { resources } = await load('test');
    expect(resources[0]?.inputs).toEqual({ address: '0xde709f2102306220921060314715629080e2fb77' });
    expect(resources.some(({ id }) => id === 'category.cohort 2027')).toBe(true);
  });
});

test('values given with the command go before those of the plan, and have to be declared', async () => {
  const text = 'windlass: 1\nname: n\nvars: { a: "1" }\naudit: { categories: ["{{vars.a}}"] }';
  const good = await loadFixture({ text }, 'local', { a: '2' });
  expect(good.ok && good.value.resources.map(({ id }) => id)).toEqual(['category.2']);
  const bad = await loadFixture({ text }, 'local', { b: '2' });
  expect(bad.diagnostics.map(({ code }) => code)).toEqual(['PLAN_UNKNOWN_REFERENCE']);
});

test('what the parser cannot read is a warning beside a plan that may be good', async () => {
  const text = `windlass: 1
name: n
wallets: { r: { address: ${REGISTRAR} } }
projects: { p: { versions: { v: { compiler: { solidity: v0.8.28 }, sources: [contracts/odd/Odd.sol] } } } }
deployments:
  d: { version: p@v, wallet: { type: organisation, use: r }, contracts: { Odd: { params: { a: [1] } } } }`;
  const { ok, diagnostics } = await loadFixture({ text });
  expect(ok).toBe(true);
  expect(diagnostics).toMatchObject([{ code: 'PLAN_SOURCE_SYNTAX', severity: 'warning' }]);
});

test('an environment has to be declared', async () => {
  const { diagnostics } = await loadFixture({ path: 'good.yaml' }, 'prodction');
  expect(diagnostics).toMatchObject([
    { code: 'PLAN_UNKNOWN_ENVIRONMENT', fix: 'Did you mean "production"?' },
  ]);
});

describe('what is loaded', () => {
  test('scalars stay as they were written', () => {
    expect(inputs('audit-record', 'audit-record.shipped').metadata).toEqual({
      release: '1.10',
      build: '007',
      count: 3,
      ok: true,
      none: null,
      token: [
        { $placeholder: [{ ref: 'contract.core.Token' }] },
        { elder: '0x27b1fdb04752bbc536007a920d24acb045561c26' },
      ],
    });
    expect(inputs('audit-record', 'audit-record.archived').metadata).toBe('42');
  });

  test('parameters take their one form, to the last digit', () => {
    const { params } = inputs('contract', 'contract.extras.Vault') as { params: unknown };
    expect(params).toEqual({
      owner: { $placeholder: [{ ref: 'wallet.alice' }] },
      level: '255',
      offset: '-32768',
      open: true,
      salt: `0x${'00'.repeat(31)}ff`,
      blob: '0xcafe',
      label: { $placeholder: ['vault of ', { ref: 'contract.core.Token' }, ', 2026'] },
      keepers: [REGISTRAR, { $placeholder: [{ ref: 'contract.core.Token' }] }],
      steps: ['1', String(2n ** 256n - 1n)],
      limit: { amount: 5, spender: { $placeholder: [{ ref: 'contract.core.Token' }] } },
    });
  });

  test('contracts of two deployments may need one another in turn, and each deployment knows its order', () => {
    const ids = plan.resources.map(({ id }) => id);
    expect(ids.indexOf('contract.core.Token')).toBeLessThan(ids.indexOf('contract.extras.Vault'));
    expect(ids.indexOf('deployment.extras')).toBeLessThan(ids.indexOf('deployment.core'));
    expect(inputs('deployment', 'deployment.core').contracts).toEqual([
      'contract.core.Registry',
      'contract.core.Token',
      'contract.core.Third',
      'contract.core.Second',
    ]);
    expect(resource('contract.core.Second').dependsOn).toEqual([
      'version.registry@1.0.0',
      'wallet.registrar',
      'deployment.core',
      'contract.core.Registry',
      'contract.core.Third',
    ]);
  });

  test('folders are sent flat, with the digest of what is sent, and the author is told', () => {
    const { sources, packages } = inputs('version', 'version.registry@1.0.0');
    expect(sources.map(({ path, filename }) => [path, filename])).toEqual([
      ['contracts/core/Registry.sol', 'Registry.sol'],
      ['contracts/core/Token.sol', 'contracts_core_Token.sol'],
      ['contracts/lib/Owned.sol', 'Owned.sol'],
      ['contracts/other/Token.sol', 'contracts_other_Token.sol'],
    ]);
    const token = sources[1]?.rewritten ?? '';
    expect(token).toContain('import "./Registry.sol";\nimport * as Lib from "./Owned.sol";');
    expect(sources[1]?.digest).toBe(digestOfBytes(token));
    expect(sources[0]?.rewritten).toContain('/// import "./nowhere.sol"; is only a comment');
    expect(sources[2]?.rewritten).toBeUndefined();
    expect(packages).toEqual([{ name: '@openzeppelin/contracts', version: '5.0.2' }, { name: 'solmate' }]);
    expect(plan.notices).toHaveLength(1);
    expect(plan.notices[0]).toContain('contracts/other/Token.sol as contracts_other_Token.sol');
  });

  test('rows become certificates whose cells are never searched for placeholders or templates', () => {
    const { to, name, description, attributes, image, owner } = inputs(
      'certificate',
      'certificate.class-of-2026[S-1002]',
    );
    expect({ to, name, description }).toEqual({
      to: BOB,
      name: 'Diploma of Bob <bob_ADDRESS> {{vars.cohort}}',
      description: 'Medi"cine, class of 2026',
    });
    expect(attributes).toEqual([
      { trait: 'Programme', value: 'Medi"cine' },
      { trait: 'Honours', value: '' },
      { trait: 'Cohort', value: '2026' },
    ]);
    expect(image).toMatchObject({ path: 'images/S-1002.png', sizeBytes: 70 });
    expect(owner).toEqual({ $placeholder: [{ ref: 'wallet.alice' }] });
    expect(inputs('certificate', 'certificate.badges[N-2]').description).toBe('Score 1.10');
  });

  test('transfers of one certificate follow its holders', () => {
    expect(resource('transfer.onward').dependsOn).toContain('transfer.to-alice');
    expect(resource('transfer.to-alice').dependsOn).toContain('certificate.class-of-2026[S-1001]');
    expect(inputs('transfer', 'transfer.old').token).toEqual({ tokenId: '42' });
  });

  test('wallets of non-custodial deployments sign locally or bring signed transactions', () => {
    expect(inputs('deployment', 'deployment.own').wallet).toEqual({
      type: 'non_custodial',
      address: REGISTRAR,
      signer: { keystore: 'signed/deployer.json', password: { $secret: { env: 'WINDLASS_VAR_PASSWORD' } } },
    });
    expect(inputs('contract', 'contract.signed.Presigned')).toMatchObject({
      signedTransaction: { path: 'signed/token.hex', sizeBytes: 247 },
    });
  });

  test('every dependency is declared and comes first', () => {
    const seen = new Set<string>();
    for (const { id, dependsOn } of plan.resources) {
      for (const needed of dependsOn) expect(seen).toContain(needed);
      seen.add(id);
    }
    expect(seen.size).toBe(plan.resources.length);
  });
});
