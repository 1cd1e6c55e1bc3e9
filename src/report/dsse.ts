import { parseBoundedJson } from '../model/bounded-json.js';
import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { digestOfBytes, type Digest } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';

/** Media type of an in-toto statement inside an envelope. */
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** The text of an attestation file and who signed it; `signedBy` is absent when no key was given or nothing is signed. */
export interface Opened {
  readonly payload: string;
  readonly signed: boolean;
  readonly signedBy?: Digest;
}

/** The id of a key: the digest of its public half as SubjectPublicKeyInfo (DER). */
export function keyIdOf(key: KeyObject): Digest {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return digestOfBytes(publicKey.export({ type: 'spki', format: 'der' }));
}

/** A statement's text in a DSSE envelope, signed with Ed25519 (https://github.com/secure-systems-lab/dsse). */
export function sealEnvelope(payload: string, key: KeyObject): Json {
  const signature = sign(null, preAuthenticated(payload), key);
  return {
    payloadType: PAYLOAD_TYPE,
    payload: Buffer.from(payload).toString('base64'),
    signatures: [{ keyid: keyIdOf(key), sig: signature.toString('base64') }],
  };
}

/**
 * Opens what `attest` wrote: an envelope, or a bare statement.
 *
 * @param key the public key that has to have signed it; undefined: signatures are not looked at
 * @throws ATTESTATION_TAMPERED when it is damaged, or when a key is given and none of the signatures is its own
 */
export function openEnvelope(text: string, key: KeyObject | undefined): Opened {
  const value = parseJson(text);
  if (!isJsonObject(value) || !('payload' in value)) {
    if (key !== undefined) throw tampered('it is not signed, though a key was given');
    return { payload: text, signed: false };
  }
  const payload = decoded(textMember(value, 'payload'));
  const listed = member(value, 'signatures');
  const signatures = Array.isArray(listed) ? (listed as readonly Json[]) : [];
  if (textMember(value, 'payloadType') !== PAYLOAD_TYPE || signatures.length === 0) {
    throw tampered('it is not an envelope of a signed statement');
  }
  if (key === undefined) return { payload, signed: true };
  const bytes = preAuthenticated(payload);
  // The id of a key in an envelope is a hint that anybody can write; what counts is whose key fits.
  if (!signatures.some((one) => fits(bytes, textMember(one, 'sig'), key))) {
    throw tampered(`no signature of the key ${keyIdOf(key)} fits`);
  }
  return { payload, signed: true, signedBy: keyIdOf(key) };
}

/** What is signed: type and payload with their lengths, so that neither can be read as a part of the other. */
function preAuthenticated(payload: string): Buffer {
  const body = Buffer.from(payload);
  const head = `DSSEv1 ${Buffer.byteLength(PAYLOAD_TYPE)} ${PAYLOAD_TYPE} ${body.length} `;
  return Buffer.concat([Buffer.from(head), body]);
}

function fits(bytes: Buffer, signature: string | undefined, key: KeyObject): boolean {
  const decoded = signature === undefined ? undefined : base64(signature);
  return decoded !== undefined && verify(null, bytes, key, decoded);
}

/** The bytes of Base64 in its one canonical form, or undefined: no two texts stand for the same bytes. */
function base64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function decoded(text: string | undefined): string {
  const bytes = text === undefined ? undefined : base64(text);
  if (bytes === undefined) throw tampered('its payload is not Base64');
  const payload = bytes.toString('utf8');
  if (!Buffer.from(payload).equals(bytes)) throw tampered('its payload is not UTF-8');
  return payload;
}

function parseJson(text: string): Json {
  try {
    return parseBoundedJson(text);
  } catch {
    throw tampered('it is not JSON');
  }
}

function tampered(why: string): WindlassError {
  return new WindlassError('ATTESTATION_TAMPERED', `The attestation cannot be trusted: ${why}.`);
}
