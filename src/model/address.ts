import { keccak_256 } from '@noble/hashes/sha3.js';

/** What an address text is: good (in checksum form), or what is wrong with it. */
export type AddressReading =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly reason: string; readonly fix?: string };

/**
 * Reads a chain address: `0x` and 40 hex digits, all lower, all upper, or in the mixed case of EIP-55, whose
 * checksum then has to be right.
 */
export function readAddress(text: string): AddressReading {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return { ok: false, reason: shapeFault(text) };
  const digits = text.slice(2);
  const address = checksumAddress(digits.toLowerCase());
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase() || text === address) {
    return { ok: true, address };
  }
  return {
    ok: false,
    reason: 'the upper and lower case letters of this address do not match its checksum (EIP-55)',
    fix: `Copy the address again: one digit is probably wrong. As written it would be ${address}.`,
  };
}

/** A well-formed address in place of a malformed text: the same for the same text, and nobody's. */
export function standInFor(text: string): string {
  const digest = keccak_256(new TextEncoder().encode(text));
  return checksumAddress(Buffer.from(digest.slice(0, 20)).toString('hex'));
}

/** True for text that means to be an address. */
export function looksLikeAddress(text: string): boolean {
  return /^0x/i.test(text);
}

function shapeFault(text: string): string {
  if (!looksLikeAddress(text)) return 'an address is 0x and 40 hex digits';
  const digits = text.slice(2);
  return /^[0-9a-fA-F]*$/.test(digits)
    ? `an address has 40 hex digits after 0x, this one has ${digits.length}`
    : 'an address is 0x and 40 hex digits, this one holds another character';
}

/**
 * The checksum form of an address, `0x` included, from its 40 lower-case digits. EIP-55: a letter is upper case where
 * the same digit of the hash of the lower-case text is 8 or more.
 */
export function checksumAddress(digits: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'latin1'))).toString('hex');
  const cased = digits.replaceAll(/[a-f]/g, (digit, index: number) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased}`;
}
