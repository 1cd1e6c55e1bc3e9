import { digestOf } from '../../src/model/canonical.js';
import type { Environment } from '../../src/model/environment.js';
import type { KindName, ResourceId } from '../../src/model/id.js';
import { textMember, type Json, type JsonObject } from '../../src/model/json.js';
import type { Plan } from '../../src/model/plan.js';
import type { AnyResource, InputsOf } from '../../src/model/resource.js';
import { addressPlaceholder, referencesOf } from '../../src/model/value.js';
import type { Abilities } from '../../src/kinds/kind.js';
import type { Known, StepView } from '../../src/kinds/operation.js';
import { knownAddress } from '../../src/kinds/knowledge.js';
import type { Outputs } from '../../src/state/event.js';
import { CAPABILITIES, type Capability } from '../../src/protocol/endpoint.js';

/** A well-formed address, different for each text or number. */
export function address(seed: string | number): string {
  return `0x${digestOf(String(seed)).slice(7, 47)}`;
}

/** A well-formed transaction hash. */
export function hash(seed: string | number): string {
  return `0x${digestOf(`hash ${seed}`).slice(7)}`;
}

export const REGISTRAR = address('registrar');
export const ALICE = address('alice');

/** A resource that depends on what its inputs name. */
export function resource<K extends KindName>(
  id: ResourceId,
  kind: K,
  inputs: InputsOf[K],
  dependsOn: readonly ResourceId[] = referencesOf(inputs),
): AnyResource {
  return { id, kind, inputs, dependsOn, declaredAt: { line: 1, column: 1 } } as unknown as AnyResource;
}

/** The text that a service is sent for a value that may be marked as personal. */
export function sentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return textMember(value, '$personal') ?? '';
}

export function wallet(name: string): AnyResource {
  return resource(`wallet.${name}`, 'wallet', {
    name: { $personal: name },
    email: { $secret: { env: 'EMAIL' } },
    ic: { $personal: '900101-14-5678' },
  });
}

export function category(name: string): AnyResource {
  return resource(`category.${name}`, 'category', { name });
}

export function tag(name: string): AnyResource {
  return resource(`tag.${name}`, 'tag', { name });
}

export function project(slug = 'registry'): AnyResource {
  return resource(`project.${slug}`, 'project', { slug });
}

export function version(name = '1.0.0', over: Partial<InputsOf['version']> = {}): AnyResource {
  const inputs: InputsOf['version'] = {
    project: 'project.registry',
    name,
    compiler: { solidity: 'v0.8.28', optimizer: { enabled: true, runs: 200 } },
    sources: [
      { path: 'contracts/Token.sol', filename: 'Token.sol', digest: digestOf('Token'), sizeBytes: 9 },
    ],
    packages: [],
    ...over,
  };
  return resource(`version.registry@${name}`, 'version', inputs, [inputs.project]);
}

type DeployedInputs = Extract<InputsOf['contract'], { deployment: string }>;

export function contract(
  name: string,
  params: JsonObject = {},
  over: Partial<DeployedInputs> = {},
): AnyResource {
  const inputs: DeployedInputs = {
    deployment: 'deployment.core',
    version: 'version.registry@1.0.0',
    wallet: { type: 'organisation', address: REGISTRAR },
    contract: name,
    params,
    ...over,
  };
  const id: ResourceId = `contract.${inputs.deployment.slice('deployment.'.length)}.${name}`;
  return resource(id, 'contract', inputs, [inputs.version, ...referencesOf(params)]);
}

export function deployment(
  contracts: readonly ResourceId[],
  mode: 'batch' | 'single' = 'batch',
): AnyResource {
  return resource(
    'deployment.core',
    'deployment',
    {
      version: 'version.registry@1.0.0',
      wallet: { type: 'organisation', address: REGISTRAR },
      mode,
      contracts,
    },
    contracts,
  );
}

export function auditContract(name: string): AnyResource {
  return resource(`audit-contract.${name}`, 'audit-contract', { name, encryptData: false });
}

export function record(name: string, over: Partial<InputsOf['audit-record']> = {}): AnyResource {
  const inputs: InputsOf['audit-record'] = {
    contract: addressPlaceholder('audit-contract.releases'),
    signer: REGISTRAR,
    metadata: { release: name },
    envelope: 'digest',
    categories: [],
    tags: [],
    ...over,
  };
  const labels = [...inputs.categories, ...inputs.tags];
  return resource(`audit-record.${name}`, 'audit-record', inputs, [
    ...referencesOf(inputs as Json),
    ...labels,
  ]);
}

export function certificateContract(name: string): AnyResource {
  return resource(`certificate-contract.${name}`, 'certificate-contract', {
    nickname: `${name} nickname`,
    name,
    symbol: 'DIP',
    deployer: REGISTRAR,
    owner: REGISTRAR,
    maxSupply: 0,
  });
}

export function certificate(key: string, over: Partial<InputsOf['certificate']> = {}): AnyResource {
  return resource(`certificate.class[${key}]`, 'certificate', {
    contract: addressPlaceholder('certificate-contract.diplomas'),
    owner: REGISTRAR,
    to: address(`student ${key}`),
    name: `Diploma ${key}`,
    description: '',
    attributes: [{ trait: 'Programme', value: 'Law' }],
    image: { path: `images/${key}.png`, digest: digestOf(`image ${key}`), sizeBytes: 100 },
    marker: 'attribute',
    ...over,
  });
}

export function transfer(
  name: string,
  ref: ResourceId,
  over: Partial<InputsOf['transfer']> = {},
): AnyResource {
  const inputs: InputsOf['transfer'] = {
    contract: addressPlaceholder('certificate-contract.diplomas'),
    token: { ref },
    from: REGISTRAR,
    to: ALICE,
    ...over,
  };
  const token = 'ref' in inputs.token ? [inputs.token.ref] : [];
  return resource(`transfer.${name}`, 'transfer', inputs, [...referencesOf(inputs as Json), ...token]);
}

/** A plan that holds every kind, with edges between most of them. */
export function campus(): readonly AnyResource[] {
  return [
    wallet('bob'),
    project(),
    version(),
    contract('Registry'),
    contract('Token', { registry: addressPlaceholder('contract.core.Registry'), cap: '1000' }),
    deployment(['contract.core.Registry', 'contract.core.Token']),
    auditContract('releases'),
    category('release'),
    tag('v1'),
    record('shipped', {
      metadata: { release: '1.0.0', token: addressPlaceholder('contract.core.Token') },
      categories: ['category.release'],
      tags: ['tag.v1'],
    }),
    certificateContract('diplomas'),
    certificate('S-1', { to: REGISTRAR }),
    certificate('S-2', { to: addressPlaceholder('wallet.bob') }),
    transfer('to-alice', 'certificate.class[S-1]'),
  ];
}

export function plan(
  resources: readonly AnyResource[],
  over: Partial<Plan> & { readonly maxInFlight?: number; readonly sendOrder?: 'plan' | 'any' } = {},
): Plan {
  const { maxInFlight = 32, sendOrder = 'plan', ...rest } = over;
  const environment: Environment = {
    name: 'local',
    callbacks: {},
    maxInFlight,
    sendOrder,
    capabilities: [],
    protected: false,
  };
  return {
    name: 'campus',
    file: 'windlass.yaml',
    digest: digestOf('plan'),
    files: {},
    environment,
    environments: [],
    resources,
    moved: {},
    notices: [],
    ...rest,
  };
}

/** What an environment can show; everything unless told. */
export function abilities(
  over: Partial<Omit<Abilities, 'capabilities'>> & { readonly capabilities?: readonly Capability[] } = {},
): Abilities {
  const { capabilities = CAPABILITIES, ...rest } = over;
  return { callbacks: true, chain: false, ...rest, capabilities: new Set(capabilities) };
}

/** A step about resources of a plan of which some are made already. */
export function stepView(
  resources: readonly AnyResource[],
  over: {
    readonly others?: readonly AnyResource[];
    readonly outputs?: Readonly<Record<ResourceId, Outputs>>;
    readonly abilities?: Abilities;
  } = {},
): StepView {
  const all = new Map([...(over.others ?? []), ...resources].map((item) => [item.id, item]));
  const knowledge = {
    abilities: over.abilities ?? abilities(),
    resource: (id: ResourceId) => all.get(id),
    outputs: (id: ResourceId) => over.outputs?.[id],
  };
  return {
    resources,
    knowledge,
    key: 'aaaabbbbccccdddd',
    addressOf: (id) => knownAddress(knowledge, id) ?? `unknown ${id}`,
  };
}

/** What is known of an attempt: accepted, nothing heard, not late, no other attempt near. */
export function known(over: Partial<Known> = {}): Known {
  return {
    resources: ['audit-record.shipped'],
    context: {},
    outcome: 'accepted',
    ids: {},
    callbacks: [],
    late: false,
    surplus: false,
    isTaken: () => false,
    rivals: () => [],
    ...over,
  };
}
