import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** A key-encryption key: it wraps data keys and nothing else. */
export interface Kek {
  /** Names the key without telling it: 16 hex digits of a digest. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** A secret as it is kept: encrypted with a data key of its own, which is wrapped by a key-encryption key. */
export interface Sealed {
  /** Id of the key-encryption key. */
  readonly kek: string;
  /** Nonce, tag and wrapped data key, base64. */
  readonly wrapped: string;
  /** Nonce, tag and encrypted secret, base64. */
  readonly sealed: string;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed secret cannot be opened: with another key, in another place, or changed. */
class SealBroken extends Error {
  constructor() {
    super('a sealed record cannot be decrypted: it was changed, or the key-encryption key is another one');
    this.name = 'SealBroken';
  }
}

/**
 * Makes a key-encryption key of its bytes, or of their text: 64 hex digits, or base64.
 *
 * @throws RangeError when they are not 32 bytes
 */
export function kekOf(key: Uint8Array | string): Kek {
  const bytes = typeof key === 'string' ? bytesOfText(key.trim()) : key;
  if (bytes.length !== KEY_BYTES) {
    throw new RangeError(
      'a key-encryption key is 32 bytes: 64 hex digits, or base64 (`openssl rand -hex 32`)',
    );
  }
  const digest = createHash('sha256').update('windlass key-encryption key').update(bytes);
  return { id: digest.digest('hex').slice(0, 16), bytes };
}

/**
 * Seals a secret.
 *
 * @param place what the secret belongs to; it opens in this place only
 */
export function seal(kek: Kek, secret: Uint8Array, place: string): Sealed {
  const dataKey = randomBytes(KEY_BYTES);
  const sealed = encrypt(dataKey, secret, place);
  const wrapped = encrypt(kek.bytes, dataKey, wrapPlace(kek.id, place));
  dataKey.fill(0);
  return { kek: kek.id, wrapped, sealed };
}

/** Opens a secret. The caller wipes it after use. @throws SealBroken */
export function open(kek: Kek, { kek: id, wrapped, sealed }: Sealed, place: string): Uint8Array {
  if (id !== kek.id) throw new SealBroken();
  const dataKey = decrypt(kek.bytes, wrapped, wrapPlace(id, place));
  const secret = decrypt(dataKey, sealed, place);
  dataKey.fill(0);
  return secret;
}

/** Wraps the data key of a secret anew; the secret itself is not decrypted. @throws SealBroken */
export function rewrap(from: Kek, to: Kek, held: Sealed, place: string): Sealed {
  if (held.kek !== from.id) throw new SealBroken();
  const dataKey = decrypt(from.bytes, held.wrapped, wrapPlace(from.id, place));
  const wrapped = encrypt(to.bytes, dataKey, wrapPlace(to.id, place));
  dataKey.fill(0);
  return { kek: to.id, wrapped, sealed: held.sealed };
}

function wrapPlace(id: string, place: string): string {
  return `wrapped by ${id}: ${place}`;
}

function encrypt(key: Uint8Array, plain: Uint8Array, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

function decrypt(key: Uint8Array, text: string, place: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealBroken();
  }
}

function bytesOfText(text: string): Uint8Array {
  return /^(0x)?[0-9a-fA-F]{64}$/.test(text)
    ? Buffer.from(text.replace(/^0x/, ''), 'hex')
    : Buffer.from(text, 'base64');
}
