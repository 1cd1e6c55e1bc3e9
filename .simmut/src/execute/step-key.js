import { hash } from 'node:crypto';
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/**
 * 16 base32 characters that identify a step across its attempts and differ between lineages; public. Embedded in
 * certificates and audit metadata, so that an effect whose answer was lost can be found again (reliability §3.2).
 */
export function stepKey(lineage, id) {
    const bytes = hash('sha256', `${lineage}\n${id}`, 'buffer').subarray(0, 10);
    let bits = '';
    for (const byte of bytes)
        bits += byte.toString(2).padStart(8, '0');
    return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('');
}
