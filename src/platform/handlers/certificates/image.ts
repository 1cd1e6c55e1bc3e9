/** Bytes of a MB where an image is refused: the larger of its two readings, because a client may mean either. */
export const MEBIBYTE = 1_048_576;

/** A kind of file that a certificate may show. */
export interface ImageKind {
  readonly contentType: string;
  /** Ending of its file name, without a dot. */
  readonly extension: string;
}

const KINDS: readonly (ImageKind & { readonly matches: (head: Buffer) => boolean })[] = [
  {
    contentType: 'image/png',
    extension: 'png',
    matches: (head) => head.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n',
  },
  {
    contentType: 'image/jpeg',
    extension: 'jpg',
    matches: (head) => head.subarray(0, 3).toString('latin1') === '\xff\xd8\xff',
  },
  {
    contentType: 'image/gif',
    extension: 'gif',
    matches: (head) => ['GIF87a', 'GIF89a'].includes(head.subarray(0, 6).toString('latin1')),
  },
  {
    contentType: 'image/webp',
    extension: 'webp',
    matches: (head) =>
      head.subarray(0, 4).toString('latin1') === 'RIFF' && head.subarray(8, 12).toString('latin1') === 'WEBP',
  },
  {
    contentType: 'application/pdf',
    extension: 'pdf',
    matches: (head) => head.subarray(0, 5).toString('latin1') === '%PDF-',
  },
];

/**
 * What bytes are, by how they begin; the name and type that the sender claims count for nothing. Undefined for
 * everything else, SVG among it: it can hold scripts.
 */
export function imageKind(bytes: Uint8Array): ImageKind | undefined {
  const head = Buffer.from(bytes.subarray(0, 12));
  const kind = KINDS.find(({ matches }) => matches(head));
  return kind && { contentType: kind.contentType, extension: kind.extension };
}
