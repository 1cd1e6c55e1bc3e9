import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { exampleFolder, listFiles, readBytes, readRows } from './folder.js';

const BATCHES = [
  { example: 'campus', rows: 'data/class-of-2026.csv', key: 'student_id' },
  { example: 'certificates', rows: 'data/participants.csv', key: 'id' },
];

/** Largest image of the plain mint endpoint, in bytes. */
const PLAIN_TIER_BYTES = 1_000_000;

/** Bytes of a picture that may differ: versions of V8 do not agree on the last bit of a sine. */
const SINE_TOLERANCE = 8;

/** Chunks of a PNG by name, each checked against its checksum. */
function pngChunks(bytes: Buffer): Map<string, Buffer> {
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length;) {
    const end = at + 8 + bytes.readUInt32BE(at);
    expect(bytes.readUInt32BE(end)).toBe(crc32(bytes.subarray(at + 4, end)));
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, end));
    at = end + 4;
  }
  return chunks;
}

function pixelsOf(bytes: Buffer): Buffer {
  return inflateSync(pngChunks(bytes).get('IDAT') ?? Buffer.alloc(0));
}

test.each(BATCHES)(
  'each row of $example has a picture of its own, and no picture is left over',
  async (batch) => {
    const keys = (await readRows(batch.example, batch.rows)).map((row) => row[batch.key]);
    const pictures = (await listFiles(batch.example, 'images')).filter((path) => path.endsWith('.png'));
    expect([...pictures].sort()).toEqual(keys.map((key) => `images/${key}.png`).sort());
    const drawn = await Promise.all(pictures.map((path) => readBytes(batch.example, path)));
    expect(new Set(drawn.map((bytes) => pixelsOf(bytes).toString('base64'))).size).toBe(keys.length);
  },
);

test.each(BATCHES)(
  'the pictures of $example are whole PNG files, small enough to be minted plainly',
  async (batch) => {
    const pictures = (await listFiles(batch.example, 'images')).filter((path) => path.endsWith('.png'));
    expect(pictures).not.toHaveLength(0);
    for (const path of pictures) {
      const bytes = await readBytes(batch.example, path);
      expect(bytes.length).toBeLessThan(PLAIN_TIER_BYTES);
      const chunks = pngChunks(bytes);
      const header = chunks.get('IHDR') ?? Buffer.alloc(8);
      expect([header.readUInt32BE(0), header.readUInt32BE(4)]).toEqual([160, 113]);
      expect([...chunks.keys()].at(-1)).toBe('IEND');
      expect(pixelsOf(bytes)).toHaveLength(113 * (1 + 160 / 2));
    }
  },
);

test('draw.mjs draws the committed pictures again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'diplomas-'));
  try {
    const args = ['images/draw.mjs', 'data/class-of-2026.csv', folder];
    await promisify(execFile)(process.execPath, args, { cwd: exampleFolder('campus') });
    for (const { student_id: id } of await readRows('campus', 'data/class-of-2026.csv')) {
      const again = pixelsOf(await readFile(join(folder, `${id}.png`)));
      const committed = pixelsOf(await readBytes('campus', `images/${id}.png`));
      const changed = again.filter((byte, at) => byte !== committed[at]).length;
      expect(again).toHaveLength(committed.length);
      expect(changed).toBeLessThanOrEqual(SINE_TOLERANCE);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
