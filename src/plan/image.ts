import { MINT_TIERS } from '../protocol/endpoint.js';

/** Largest image in bytes that any mint endpoint takes. */
export const MAX_IMAGE_BYTES: number = Math.max(...MINT_TIERS.map(({ maxBytes }) => maxBytes));

/** Bytes that tell what a file is. */
const HEAD_BYTES = 64;

const SIGNATURES: readonly { readonly type: string; readonly test: (head: string) => boolean }[] = [
  { type: 'image/png', test: (head) => head.startsWith('\x89PNG\r\n\x1a\n') },
  { type: 'image/jpeg', test: (head) => head.startsWith('\xff\xd8\xff') },
  { type: 'image/gif', test: (head) => /^GIF8[79]a/.test(head) },
  { type: 'image/webp', test: (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' },
  { type: 'application/pdf', test: (head) => head.startsWith('%PDF-') },
];

/**
 * Why a file cannot be an image of a certificate, told from its first bytes alone; undefined when it can. SVG is
 * refused because it can hold scripts.
 */
export function imageFault(bytes: Uint8Array): string | undefined {
  const head = headOf(bytes);
  if (imageType(bytes) !== undefined) return undefined;
  if (head === '') return 'is empty';
  if (/^\s*(?:\xef\xbb\xbf)?\s*<(?:\?xml|svg|!DOCTYPE svg)/i.test(head))
    return 'is an SVG, which can hold scripts';
  return 'is not a PNG, JPEG, GIF, WebP or PDF';
}

/** The media type of an image, told from its first bytes alone; undefined when it is none that certificates take. */
export function imageType(bytes: Uint8Array): string | undefined {
  const head = headOf(bytes);
  return SIGNATURES.find(({ test }) => test(head))?.type;
}

function headOf(bytes: Uint8Array): string {
  const length = Math.min(bytes.byteLength, HEAD_BYTES);
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1');
}
