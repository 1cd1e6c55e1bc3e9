import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitsOf } from '../../src/platform/admission/limits.js';
import { QUOTA_TABLES, Quotas } from '../../src/platform/admission/quotas.js';
import type { Files, PutFile } from '../../src/platform/files/files.js';
import { FILE_TABLES, openFiles, servedFile } from '../../src/platform/files/store.js';
import { openRecords } from '../../src/platform/state/libsql.js';
import type { Records } from '../../src/platform/state/records.js';

let folder: string;
let records: Records;
let files: Files;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'));
  records = openRecords(join(folder, 'records.db'), [QUOTA_TABLES, FILE_TABLES]);
  files = open();
});
afterEach(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});

function open(): Files {
  return openFiles(join(folder, 'files'), () => 'http://here', {
    reader: records,
    quotas: new Quotas(limitsOf({}, false)),
  });
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const put = (bytes: Uint8Array, contentType = 'application/json', org = 'a') =>
  files.put({ org, name: 'one.json', contentType, bytes });
const keep = (file: PutFile) => records.transact((writer) => files.keep(writer, file));

/** How many files lie on disk. */
async function onDisk(): Promise<number> {
  const names = await readdir(join(folder, 'files'), { recursive: true }).catch(() => []);
  return names.filter((name) => name.includes('/')).length;
}

describe('a kept file', () => {
  it('is a row when it is a small JSON document, and none before it is kept', async () => {
    const bytes = bytesOf('{"name":"Diplôme 🎓"}');
    const file = await put(bytes);
    expect(await onDisk()).toBe(0);
    await expect(files.read(file.path)).rejects.toThrow();
    expect(await servedFile(records, files, file.path)).toBeUndefined();
    await keep(file);
    await keep(await put(bytes, 'application/json', 'b'));
    expect(await onDisk()).toBe(0);
    expect(Buffer.from(await open().read(file.path))).toEqual(Buffer.from(bytes));
    expect(await servedFile(records, files, file.path)).toMatchObject({
      contentType: 'application/json',
      name: 'one.json',
    });
  });

  it.each([
    ['is large', bytesOf(JSON.stringify('x'.repeat(70_000))), 'application/json'],
    ['is no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'application/json'],
    ['begins with a mark of its byte order', bytesOf('\uFEFF{}'), 'application/json'],
    ['holds a NUL', bytesOf('{\0}'), 'application/json'],
    ['is no document', bytesOf('{}'), 'image/png'],
  ])('lies on disk, once, when it %s, and is the same bytes again', async (_, bytes, contentType) => {
    for (const org of ['a', 'b']) await keep(await put(bytes, contentType, org));
    expect(await onDisk()).toBe(1);
    const { path } = await put(bytes, contentType);
    expect(Buffer.from(await open().read(path))).toEqual(Buffer.from(bytes));
  });

  it('is not kept by a transaction that fails', async () => {
    const file = await put(bytesOf('{"a":1}'));
    const failing = records.transact(async (writer) => {
      await files.keep(writer, file);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect(files.read(file.path)).rejects.toThrow();
  });
});

describe('a file that was put and not kept', () => {
  const image = bytesOf('image of nobody');

  it('is removed, unless somebody keeps it or is about to', async () => {
    const [mine, theirs] = [await put(image, 'image/png'), await put(image, 'image/png', 'b')];
    await files.release([mine], false);
    expect(await onDisk()).toBe(1);
    await files.release([theirs], false);
    expect(await onDisk()).toBe(0);
    await keep(await put(image, 'image/png'));
    const again = await put(image, 'image/png', 'b');
    await files.release([again], false);
    await files.release([again], false);
    expect(Buffer.from(await open().read(again.path))).toEqual(Buffer.from(image));
  });

  it('is there again for whoever puts it while it is removed', async () => {
    for (let count = 0; count < 50; count += 1) {
      const gone = await put(image, 'image/png');
      const [, kept] = await Promise.all([files.release([gone], false), put(image, 'image/png', 'b')]);
      expect(Buffer.from(await files.read(kept.path))).toEqual(Buffer.from(image));
      await files.release([kept], false);
    }
    expect(await onDisk()).toBe(0);
  });
});
