import { createECDH, createHmac, pbkdf2Sync } from 'node:crypto';
import { addr } from 'micro-eth-signer';

/** The mnemonic that Anvil and Hardhat print: everybody knows its keys, so they are good on loopback only. */
export const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk';

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HARDENED = 0x8000_0000;

/** A place in a key tree, for example `m/44'/60'/0'/0/3`. */
export type KeyPath = `m/${string}`;

interface Node {
  readonly key: Buffer;
  readonly chainCode: Buffer;
}

/** The BIP-39 seed (64 bytes) of a mnemonic without a passphrase. */
export function seedOfMnemonic(mnemonic: string): Uint8Array {
  return pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512');
}

/**
 * The private key (32 bytes) at a path of the BIP-32 tree that grows from a seed.
 *
 * @throws RangeError when the path is malformed
 */
export function keyAt(seed: Uint8Array, path: KeyPath): Uint8Array {
  let node = split(createHmac('sha512', 'Bitcoin seed').update(seed).digest());
  for (const part of path.split('/').slice(1)) node = child(node, indexOf(part));
  return node.key;
}

/**
 * The checksummed address of a private key (32 bytes), by the curve of Node itself: ten wallets at each start should not
 * wait for one in JavaScript to warm up.
 *
 * @throws Error when the bytes are no key
 */
export function addressOfKey(key: Uint8Array): string {
  return addr.fromPublicKey(publicKeyOf(key, 'uncompressed'));
}

function indexOf(part: string): number {
  const match = /^(\d{1,10})('?)$/.exec(part);
  const index = Number(match?.[1]);
  if (!match || index >= HARDENED) throw new RangeError(`no key path part: ${part}`);
  return match[2] === '' ? index : index + HARDENED;
}

function child(parent: Node, index: number): Node {
  const data = Buffer.alloc(37);
  if (index >= HARDENED) parent.key.copy(data, 1);
  else publicKeyOf(parent.key, 'compressed').copy(data, 0);
  data.writeUInt32BE(index, 33);
  const derived = split(createHmac('sha512', parent.chainCode).update(data).digest());
  const tweak = BigInt(`0x${derived.key.toString('hex')}`);
  const key = (tweak + BigInt(`0x${parent.key.toString('hex')}`)) % CURVE_ORDER;
  if (tweak >= CURVE_ORDER || key === 0n) return child(parent, index + 1);
  return { key: Buffer.from(key.toString(16).padStart(64, '0'), 'hex'), chainCode: derived.chainCode };
}

function publicKeyOf(key: Uint8Array, form: 'compressed' | 'uncompressed'): Buffer {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(key);
  return curve.getPublicKey(null, form);
}

function split(bytes: Buffer): Node {
  return { key: bytes.subarray(0, 32), chainCode: bytes.subarray(32) };
}
