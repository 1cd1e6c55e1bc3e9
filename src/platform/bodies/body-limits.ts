import { MINT_TIERS, type EndpointName } from '../../protocol/endpoint.js';
import { MEBIBYTE } from '../handlers/certificates/image.js';
import { FIELD_BYTES } from './multipart.js';

/** Largest body in bytes unless a route takes more. */
export const BODY_BYTES = 65_536;

/** Largest body of a route that takes an ABI, a transaction, or a document. */
export const LARGE_BODY_BYTES = 1_048_576;

/** A record's metadata, 65,535 bytes, each of which may travel as six (`\\u0001`), and everything else of it. */
const RECORD_BYTES = 6 * 65_536 + BODY_BYTES;

/** Init code that a chain takes at most, in bytes (EIP-3860), and what a signed transaction has beside. */
const INIT_CODE_BYTES = 49_152;
const ENVELOPE_BYTES = 512;

/** Longest signed transaction that creates a contract: `0x` and hex digits, in characters. */
export const SIGNED_CREATION_DIGITS = 2 + 2 * (INIT_CODE_BYTES + ENVELOPE_BYTES);

/** Contracts of one deployment, and signed ones among them whatever their size. */
export const DEPLOYED_AT_ONCE = 500;
const LARGEST_AT_ONCE = 100;

/** A hundred signed deployments of the largest contracts, each with its id and order. */
const DEPLOY_BYTES = LARGEST_AT_ONCE * (SIGNED_CREATION_DIGITS + 256) + BODY_BYTES;

/** Largest uploaded source file; contracts of 24 KB come from far less. */
const SOURCE_BYTES = 5_000_000;

/** A form of sources: hundreds of files. */
const SOURCES_BYTES = 25_000_000;

/** Fields of a certificate: two long texts, and some short ones. */
const CERTIFICATE_FIELDS = 2 * FIELD_BYTES + BODY_BYTES;

const LARGE: Partial<Record<EndpointName, number>> = {
  'version.create': SOURCES_BYTES,
  'version.update': SOURCES_BYTES,
  'version.deploy': DEPLOY_BYTES,
  'audit.record.create': RECORD_BYTES,
  'certificate.contract.create': LARGE_BODY_BYTES,
  'instance.call': LARGE_BODY_BYTES,
  'instance.execute': LARGE_BODY_BYTES,
  'utils.deploy-encode': LARGE_BODY_BYTES,
  'utils.execute-encode': LARGE_BODY_BYTES,
  'utils.estimate-gas': LARGE_BODY_BYTES,
  'utils.simulate-transaction': LARGE_BODY_BYTES,
};

/** Largest body of an endpoint, in bytes. */
export function bodyLimit(name: EndpointName): number {
  const image = imageLimit(name);
  return image === undefined ? (LARGE[name] ?? BODY_BYTES) : image + CERTIFICATE_FIELDS;
}

/** Largest file of an endpoint's form, in bytes. */
export function fileLimit(name: EndpointName): number {
  return imageLimit(name) ?? SOURCE_BYTES;
}

/** Mint images: what the tier takes, to the byte, so that whoever refuses names the same limit. */
function imageLimit(name: EndpointName): number | undefined {
  const tier = MINT_TIERS.find(({ endpoint }) => endpoint === name);
  return tier && tier.megabytes * MEBIBYTE;
}
