import { adoptAuditContract, adoptCertificateContract, adoptContract } from './adoption-contracts.js';
import { adoptCertificate } from './adoption-certificate.js';
import { adoptAuditRecord, adoptTransfer } from './adoption-facts.js';
import { adoptLabel, adoptProject, adoptVersion, adoptWallet } from './adoption-things.js';
/** By kind; a deployment has no state of its own. */
const ADOPTIONS = {
    wallet: adoptWallet,
    project: adoptProject,
    version: adoptVersion,
    deployment: undefined,
    contract: adoptContract,
    'audit-contract': adoptAuditContract,
    category: adoptLabel('audit.category.list'),
    tag: adoptLabel('audit.tag.list'),
    'audit-record': adoptAuditRecord,
    'certificate-contract': adoptCertificateContract,
    certificate: adoptCertificate,
    transfer: adoptTransfer,
};
/** How a thing of a kind is adopted; undefined for deployments. */
export function adoptionOf(kind) {
    return ADOPTIONS[kind];
}
