import { createDecipheriv, pbkdf2, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { WindlassError } from '../model/error.js';
import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';

/** Memory that scrypt may use: the common setting n = 262144, r = 8 takes 256 MB. */
const MAX_SCRYPT_BYTES = 600_000_000;

/**
 * The private key in an encrypted keystore file (Web3 Secret Storage, version 3), 32 bytes. A wrong password gives
 * a wrong key, not an error: compare its address.
 *
 * @throws SECRET_MISSING when the text is no such file
 */
export async function openKeystore(text: string, password: string): Promise<Uint8Array> {
  const crypto = cryptoOf(text);
  const cipherText = hexMember(crypto, 'ciphertext');
  const iv = hexMember(member(crypto, 'cipherparams'), 'iv');
  if (crypto === undefined || cipherText?.length !== 32 || iv?.length !== 16) throw unusable();
  if (textMember(crypto, 'cipher') !== 'aes-128-ctr') throw unusable();
  const derived = await deriveKey(crypto, password);
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  return Buffer.concat([decipher.update(cipherText), decipher.final()]);
}

function cryptoOf(text: string): JsonObject | undefined {
  try {
    const file = JSON.parse(text) as Json;
    const crypto = member(file, 'crypto') ?? member(file, 'Crypto');
    return isJsonObject(crypto) ? crypto : undefined;
  } catch {
    return undefined;
  }
}

async function deriveKey(crypto: JsonObject, password: string): Promise<Buffer> {
  const params = member(crypto, 'kdfparams');
  const salt = hexMember(params, 'salt');
  if (salt === undefined || numberMember(params, 'dklen') !== 32) throw unusable();
  if (crypto['kdf'] === 'pbkdf2') {
    return promisify(pbkdf2)(password, salt, numberMember(params, 'c'), 32, 'sha256');
  }
  if (crypto['kdf'] !== 'scrypt') throw unusable();
  const cost = {
    N: numberMember(params, 'n'),
    r: numberMember(params, 'r'),
    p: numberMember(params, 'p'),
    maxmem: MAX_SCRYPT_BYTES,
  };
  return scryptKey(password, salt, cost);
}

function scryptKey(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    try {
      scrypt(password, salt, 32, cost, (error, key) => (error ? reject(unusable()) : resolve(key)));
    } catch {
      // A cost beyond the memory allowed is thrown at once.
      reject(unusable());
    }
  });
}

function hexMember(value: unknown, key: string): Buffer | undefined {
  const text = textMember(value, key);
  return text !== undefined && /^([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}

function numberMember(value: unknown, key: string): number {
  const number = member(value, key);
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) throw unusable();
  return number;
}

function unusable(): WindlassError {
  return new WindlassError('SECRET_MISSING', 'The keystore is not an encrypted key file of version 3.');
}
