import { createHash } from 'node:crypto';
import { createContract, deployContract } from 'micro-eth-signer/abi.js';
import { AUDIT_TRAIL } from './audit-trail.artifact.js';
import { hexOf } from './hex.js';

const methods = createContract(AUDIT_TRAIL.abi);

/** SHA-256 of the metadata's UTF-8 bytes, as `AuditTrail.sol` keeps it. 32 bytes. */
function metadataDigest(metadata: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(metadata).digest());
}

/** Creation data of an audit contract, `0x` hex. @param encrypted whether metadata stays off the chain */
export function auditTrailCreation(name: string, encrypted: boolean): string {
  return deployContract(AUDIT_TRAIL.abi, AUDIT_TRAIL.bytecode, { name_: name, encrypted_: encrypted });
}

/** Call data that appends a record, `0x` hex. @param encrypted as the contract was created: leaves the metadata out */
export function auditTrailRecord(metadata: string, encrypted: boolean): string {
  return hexOf(
    methods.mint.encodeInput({ digest: metadataDigest(metadata), metadata: encrypted ? '' : metadata }),
  );
}

/** SHA-256 of the metadata, `0x` hex: what a record of it has on the chain. */
export function metadataDigestHex(metadata: string): string {
  return hexOf(metadataDigest(metadata));
}

/** The digest in the call data of a record, `0x` hex; undefined when it is none. */
export function recordedDigest(input: string): string | undefined {
  const selector = auditTrailRecord('', true).slice(0, 10);
  return input.startsWith(selector) && input.length >= 74 ? `0x${input.slice(10, 74)}` : undefined;
}
