/** Every write that a release of the campus plan sends. */
export const CAMPUS_WRITES = [
  'project.create',
  'version.create',
  'version.deploy',
  'wallet.create-user',
  'audit.contract.create',
  'audit.category.create',
  'audit.tag.create',
  'audit.record.create',
  'certificate.contract.create',
  'certificate.mint',
  'certificate.transfer',
];
