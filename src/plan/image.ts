import { MINT_TIERS } from '../protocol/endpoint.js';

/** Largest image in bytes that any mint endpoint takes. */
export const MAX_IMAGE_BYTES: number = Math.max(...MINT_TIERS.map(({ maxBytes }) => maxBytes));

const SIGNATURES: readonly { readonly type: string; readonly test: (head: string) => boolean }[] = [
  { type: 'png', test: (head) => head.startsWith('\x89PNG\r\n\x1a\n') },
  { type: 'jpeg', test: (head) => head.startsWith('\xff\xd8\xff') },
  { type: 'gif', test: (head) => /^GIF8[79]a/.test(head) },
  { type: 'webp', test: (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' },
  { type: 'pdf', test: (head) => head.startsWith('%PDF-') },
];

/**
 * Why a file cannot be an image of a certificate, told from its first bytes alone; undefined when it can. SVG is
 * refused because it can hold scripts.
 */
export function imageFault(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (SIGNATURES.some(({ test }) => test(head))) return undefined;
  if (head === '') return 'is empty';
  if (/^\s*(?:\xef\xbb\xbf)?\s*<(?:\?xml|svg|!DOCTYPE svg)/i.test(head))
    return 'is an SVG, which can hold scripts';
  return 'is not a PNG, JPEG, GIF, WebP or PDF';
}
