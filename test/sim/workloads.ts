import type { Plan } from '../../src/model/plan.js';
import type { AnyResource } from '../../src/model/resource.js';
import { addressPlaceholder } from '../../src/model/value.js';
import {
  ALICE,
  auditContract,
  campus,
  category,
  certificate,
  certificateContract,
  contract,
  deployment,
  plan,
  project,
  record,
  REGISTRAR,
  tag,
  transfer,
  version,
  wallet,
} from '../support/builders.js';
import type { Profile } from './profiles.js';

/** A release to simulate. `earlier`: what was released before, without faults. */
export interface Workload {
  readonly name: string;
  readonly resources: readonly AnyResource[];
  readonly earlier?: readonly AnyResource[];
  /** What the environment cannot prove is left out: a blocked plan sends nothing. */
  readonly fits: (profile: Profile) => boolean;
}

const REGISTRY = addressPlaceholder('contract.core.Registry');
const ANYWHERE = (): boolean => true;

/** Contracts are found by callbacks or lists only. */
function provesContracts({ callbacks, capabilities }: Profile): boolean {
  return callbacks || capabilities.includes('lists');
}

/** Contracts that are deployed by a wallet whose key is here. */
function signed(mode: 'batch' | 'single'): readonly AnyResource[] {
  const wallet = {
    type: 'non_custodial',
    address: ALICE,
    signer: { key: { $secret: { env: 'KEY' } } },
  } as const;
  return [
    project(),
    version(),
    contract('Registry', {}, { wallet }),
    contract('Token', { registry: REGISTRY, cap: '1000' }, { wallet }),
    contract('Vault', {}, { wallet }),
    deployment(['contract.core.Registry', 'contract.core.Token', 'contract.core.Vault'], mode),
  ];
}

const CERTIFICATES = [
  certificateContract('diplomas'),
  certificate('S-1', { to: REGISTRAR }),
  certificate('S-2'),
  // Two that nothing tells apart.
  certificate('T-1', { name: 'Twin', to: ALICE, marker: 'none' }),
  certificate('T-2', { name: 'Twin', to: ALICE, marker: 'none' }),
  transfer('to-alice', 'certificate.class[S-1]'),
];

/** Every row of the protocol table stands in at least one. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'labels',
    resources: [wallet('bob'), wallet('eve'), category('release'), category('audit'), tag('v1')],
    fits: ANYWHERE,
  },
  {
    name: 'records',
    resources: [
      auditContract('releases'),
      auditContract('others'),
      category('release'),
      tag('v1'),
      record('shipped', { categories: ['category.release'], tags: ['tag.v1'] }),
      record('built'),
      record('twin-1', { envelope: 'none', metadata: 'the same' }),
      record('twin-2', { envelope: 'none', metadata: 'the same' }),
    ],
    fits: provesContracts,
  },
  { name: 'certificates', resources: CERTIFICATES, fits: provesContracts },
  {
    name: 'deployment',
    resources: [
      project(),
      version(),
      contract('Registry'),
      contract('Token', { registry: REGISTRY, cap: '1000' }),
      deployment(['contract.core.Registry', 'contract.core.Token']),
    ],
    fits: ANYWHERE,
  },
  {
    name: 'singles',
    resources: [
      project(),
      version(),
      contract('Registry'),
      contract('Token', { registry: REGISTRY, cap: '7' }),
      deployment(['contract.core.Registry', 'contract.core.Token'], 'single'),
      contract('Registry', {}, { deployment: 'deployment.side' }),
    ],
    fits: ANYWHERE,
  },
  {
    name: 'silent',
    resources: [
      project(),
      version(),
      contract('Vault'),
      contract('Registry'),
      deployment(['contract.core.Vault', 'contract.core.Registry']),
    ],
    fits: ({ callbacks, capabilities }) => callbacks || capabilities.includes('instances'),
  },
  { name: 'signed', resources: signed('batch'), fits: ({ chain }) => chain === true },
  { name: 'signed-singles', resources: signed('single'), fits: ({ chain }) => chain === true },
  {
    name: 'update',
    earlier: [project(), version()],
    resources: [
      project(),
      version('1.0.0', { compiler: { solidity: 'v0.8.28', optimizer: { enabled: true, runs: 999 } } }),
      contract('Registry'),
    ],
    fits: ANYWHERE,
  },
  {
    name: 'batch',
    earlier: [certificateContract('diplomas')],
    resources: [
      certificateContract('diplomas'),
      ...['B-1', 'B-2', 'B-3', 'B-4'].map((key) => certificate(key, { to: REGISTRAR })),
      record('beside', { contract: '0x00000000000000000000000000000000000000aa' }),
    ],
    fits: provesContracts,
  },
  {
    name: 'twins',
    earlier: [certificateContract('diplomas')],
    resources: [...CERTIFICATES.filter(({ id }) => id.includes('[T-')), certificateContract('diplomas')],
    fits: provesContracts,
  },
  { name: 'campus', resources: campus(), fits: provesContracts },
  {
    name: 'versions',
    resources: [
      project(),
      project('other'),
      version('1.0.0'),
      version('2.0.0'),
      contract('Registry', {}, { version: 'version.registry@2.0.0' }),
    ],
    fits: ({ capabilities }) => capabilities.includes('projects'),
  },
];

/** The plan of a workload for a profile. */
export function planFor(resources: readonly AnyResource[], profile: Profile): Plan {
  const release = plan(resources, {
    maxInFlight: profile.maxInFlight,
    sendOrder: profile.sendOrder ?? 'plan',
  });
  const { callbacks, ...environment } = release.environment;
  return { ...release, environment: { ...environment, callbacks: profile.callbacks ? callbacks : 'off' } };
}

/** Addresses that a plan names itself. */
export const NAMED_ADDRESSES: ReadonlySet<string> = new Set(
  WORKLOADS.flatMap(
    ({ resources }) =>
      JSON.stringify(resources)
        .toLowerCase()
        .match(/0x[0-9a-f]{40}\b/g) ?? [],
  ),
);
