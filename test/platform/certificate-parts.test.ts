import { describe, expect, it } from 'vitest';
import { attributesOf, certificateDocument } from '../../src/platform/handlers/certificates/document.js';
import { imageKind } from '../../src/platform/handlers/certificates/image.js';

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

describe('the kind of an uploaded image', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n....', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
    ['%PDF-1.7', 'application/pdf'],
  ])('is read from its first bytes: %j is %s', (head, contentType) => {
    expect(imageKind(bytes(head))?.contentType).toBe(contentType);
  });

  it.each([
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    '<?xml version="1.0"?><svg/>',
    '\xef\xbb\xbf<svg/>',
    'GIF87',
    'RIFF\x10\0\0\0WAVE',
    '',
  ])('is none for %j', (text) => {
    expect(imageKind(bytes(text))).toBeUndefined();
  });
});

describe('the metadata document of a certificate', () => {
  const text = { name: 'Diploma', description: 'For work done', image: 'http://127.0.0.1/files/1/image.png' };

  it('keeps trait as the interface writes it and adds trait_type for wallets', () => {
    const attributes = attributesOf('[{"trait":"Programme","value":"Chemistry"}]') ?? [];
    expect(certificateDocument({ ...text, attributes })).toEqual({
      ...text,
      attributes: [{ trait: 'Programme', value: 'Chemistry', trait_type: 'Programme' }],
    });
  });

  it('keeps items of other shapes as they came', () => {
    const attributes = attributesOf('[{"Student":"yes","value":"Chan"},7]') ?? [];
    expect(certificateDocument({ ...text, attributes })['attributes']).toEqual([
      { Student: 'yes', value: 'Chan' },
      7,
    ]);
  });

  it.each(['{', '{"trait":"a"}', '"text"', 'null'])('takes no attributes from %j', (value) => {
    expect(attributesOf(value)).toBeUndefined();
  });

  it('has none when none were sent', () => {
    expect(attributesOf(undefined)).toEqual([]);
  });
});
