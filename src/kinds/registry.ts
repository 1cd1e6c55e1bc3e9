import type { AnyResource } from '../model/resource.js';
import type { KindName } from '../model/id.js';
import { auditContract, createAuditContract } from './audit-contract.js';
import { auditRecord, writeAuditRecord } from './audit-record.js';
import { category, createCategory } from './category.js';
import { certificate, mintCertificate } from './certificate.js';
import { certificateContract, createCertificateContract } from './certificate-contract.js';
import { contract } from './contract.js';
import { deployContracts, deployment } from './deployment.js';
import type { Kind } from './kind.js';
import type { Operation } from './operation.js';
import { createProject, project } from './project.js';
import { createTag, tag } from './tag.js';
import { transfer, transferCertificate } from './transfer.js';
import { version } from './version.js';
import { submitVersion } from './version-submit.js';
import { createWallet, wallet } from './wallet.js';

/** Every kind by its name. */
const KINDS: { readonly [K in KindName]: Kind<K> } = {
  wallet,
  project,
  version,
  deployment,
  contract,
  'audit-contract': auditContract,
  category,
  tag,
  'audit-record': auditRecord,
  'certificate-contract': certificateContract,
  certificate,
  transfer,
};

/** The kind of a resource, typed for any. */
export function kindNamed(name: KindName): Kind {
  const kinds: Readonly<Record<KindName, unknown>> = KINDS;
  return kinds[name] as Kind;
}

/**
 * True for what Windlass makes and keeps, and so counts as a resource of a release: not for a deployment, which is a group
 * of contracts, nor for what the plan only names because it exists already.
 */
export function isReleased(resource: AnyResource): boolean {
  return !kindNamed(resource.kind).isExisting(resource);
}

/** Every write by its name; journals hold these names, so they never change. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'wallet.create': createWallet,
  'project.create': createProject,
  'version.create': submitVersion(false),
  'version.update': submitVersion(true),
  'contract.deploy': deployContracts,
  'audit-contract.create': createAuditContract,
  'category.create': createCategory,
  'tag.create': createTag,
  'audit-record.create': writeAuditRecord,
  'certificate-contract.create': createCertificateContract,
  'certificate.mint': mintCertificate,
  'certificate.transfer': transferCertificate,
};

/** The operation of a name; undefined for one that this version does not know. */
export function operationNamed(name: string): Operation | undefined {
  return OPERATIONS[name];
}
