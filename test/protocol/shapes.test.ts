import { describe, expect, it } from 'vitest';
import type {
  Artifact,
  AuditTransaction,
  AuditWrite,
  CertificateEntry,
  CertificateWrite,
  CompilerSettings,
  Deployment,
  DeploymentCallback,
  DeploymentParam,
  EmittedEvents,
  Pagination,
  Project,
  Receipt,
  VersionItem,
  WalletOptions,
} from '../../src/protocol/shapes.js';
import { component, faultsOf, objectAt } from '../support/openapi.js';

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const HASH = `0x${'ab'.repeat(32)}`;
const TIME = '2026-11-21T09:30:00.000000Z';
const URL = 'http://127.0.0.1:8000/files/x';
const BCRYPT = `$2y$10$${'a'.repeat(53)}`;

const VERSION: Required<VersionItem> = {
  status: 'deployed',
  compile_type: 'standard',
  version: '1.0.0',
  slug: '1-100',
  compiler_settings: { solidity: '0.8.28' },
  packages: ['ethers'],
  slither_file: null,
  last_compiled_at: TIME,
  last_deployed_at: null,
  latest_error: '',
  vulnerabilities: null,
  created_at: TIME,
  updated_at: TIME,
};
const SETTINGS: Required<CompilerSettings> = {
  solidity: { version: '0.8.28', settings: { optimizer: { enabled: true, runs: 200 } } },
};
const RECEIPT: Required<Receipt> = {
  to: null,
  from: ADDRESS.toLowerCase(),
  logs: [],
  type: '0x0',
  status: true,
  gasUsed: 21_000,
  blockHash: HASH,
  logsBloom: '0x00',
  blockNumber: 1,
  contractAddress: ADDRESS,
  transactionHash: HASH,
  transactionIndex: 0,
};
const WALLET: Required<WalletOptions> = { type: 'organisation', address: ADDRESS };

/** A whole sample of every shape, by the component that describes it. `Required` makes each of them complete. */
const SAMPLES = {
  Pagination: {
    current_page: 1,
    first_page_url: URL,
    last_page: 1,
    last_page_url: URL,
    next_page_url: null,
    per_page: 10,
    prev_page_url: null,
    total: 0,
  } satisfies Required<Pagination>,
  CompilerSettings: SETTINGS,
  VersionItem: VERSION,
  WrittenVersion: { ...VERSION, compiler_settings: SETTINGS } satisfies Required<VersionItem>,
  Artifact: {
    id: 1,
    contract_name: 'Registry',
    contract_abi: [{ type: 'function', name: 'f', inputs: [], outputs: [], stateMutability: 'view' }],
    bytecode: '0x60',
    source_code: URL,
    created_at: TIME,
    updated_at: TIME,
  } satisfies Required<Artifact>,
  EmittedEvents: {
    contract_address: ADDRESS,
    contract_name: 'Registry',
    events: [{ type: 'event', name: 'E', inputs: [], anonymous: false, signature: HASH }],
    has_anonymous_events: false,
  } satisfies Required<EmittedEvents>,
  DeploymentParam: {
    sc_artifact_id: 1,
    params: null,
    signed_trx: '0x00',
    order: 1,
  } satisfies Required<DeploymentParam>,
  WalletOptions: WALLET,
  Deployment: {
    deployment_id: 'registry_1-100_1795253400',
    status: 'pending',
    wallet_options: WALLET,
    deployment_params: [{ sc_artifact_id: 1, order: 1 }],
    latest_error: null,
    deployed_at: null,
    created_at: TIME,
    updated_at: TIME,
  } satisfies Required<Deployment>,
  Receipt: RECEIPT,
  DeploymentCallback: {
    status: 'Completed',
    message: 'Success',
    deployment_id: 'registry_1-100_1795253400',
    deployed_contract_addresses: [{ sc_artifact_id: 1, contract_address: ADDRESS, receipt: RECEIPT }],
  } satisfies Required<DeploymentCallback>,
  AuditWrite: {
    transactionHash: HASH,
    nonce: 0,
    status: 'pending',
    metadatahash: BCRYPT,
    metadata: 'm',
    from: ADDRESS,
  } satisfies Required<AuditWrite>,
  AuditTransaction: {
    id: 1,
    to: null,
    from: ADDRESS,
    status: 'success',
    blockNumber: 1,
    transactionHash: HASH,
    method: 'mint',
    timestamp: TIME,
    metadata: 'm',
    metadatahash: BCRYPT,
  } satisfies Required<AuditTransaction>,
  CertificateWrite: {
    nft_token_id: 1,
    transactionHash: HASH,
    nonce: 0,
    from: ADDRESS,
    organisation_id: 'org-1',
    receiver_wallet_address: ADDRESS,
    certificate: URL,
    certificate_image: URL,
    status: 'pending',
  } satisfies Required<CertificateWrite>,
  CertificateEntry: {
    nft_token_id: 1,
    transactionHash: HASH,
    status: 'failed',
    from_wallet: ADDRESS,
    to_wallet: ADDRESS,
    is_mint: 1,
    blockNumber: null,
    certificate: URL,
    certificate_image: URL,
    certificate_file: '1.json',
    certificate_image_file: null,
    created_at: TIME,
    token: { contract_address: ADDRESS, name: 'n', symbol: 's', logo: null },
  } satisfies Required<CertificateEntry>,
  Project: {
    project_name: 'Registry',
    slug: 'registry',
    description: null,
    version: null,
    last_deployed_at: null,
    created_at: TIME,
    updated_at: TIME,
  } satisfies Required<Project>,
} as const;

describe('a shape of the protocol', () => {
  it.each(Object.entries(SAMPLES))(
    '%s has the members that the document gives it, and no others',
    (name, sample) => {
      expect(faultsOf(component(name), sample, true)).toEqual([]);
      expect(Object.keys(sample).sort()).toEqual(Object.keys(objectAt(component(name), 'properties')).sort());
    },
  );
});
