import { auditContract, createAuditContract } from './audit-contract.js';
import { auditRecord, writeAuditRecord } from './audit-record.js';
import { category, createCategory } from './category.js';
import { certificate, mintCertificate } from './certificate.js';
import { certificateContract, createCertificateContract } from './certificate-contract.js';
import { contract } from './contract.js';
import { deployContracts, deployment } from './deployment.js';
import { createProject, project } from './project.js';
import { createTag, tag } from './tag.js';
import { transfer, transferCertificate } from './transfer.js';
import { version } from './version.js';
import { submitVersion } from './version-submit.js';
import { createWallet, wallet } from './wallet.js';
/** Every kind by its name. */
const KINDS = {
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
export function kindNamed(name) {
    const kinds = KINDS;
    return kinds[name];
}
/** Every write by its name; journals hold these names, so they never change. */
const OPERATIONS = {
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
export function operationNamed(name) {
    return OPERATIONS[name];
}
