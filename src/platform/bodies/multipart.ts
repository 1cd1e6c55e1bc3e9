import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { tooLarge } from '../admission/refusals.js';
import { ServiceError, type UploadedFile } from '../handlers/handler.js';
import { FIELDS, NAME_LENGTH, plainFieldName } from './form.js';

/** The parts of a multipart form in the order they came. */
export interface FormParts {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly UploadedFile[];
}

/** Files of one form. */
const FILES = 1000;

/** Largest field in bytes: 65,535 characters of a description or of attributes, four bytes each. */
export const FIELD_BYTES = 262_144;

/** Lines of a part's header, and their bytes. */
const HEADER_PAIRS = 20;
const HEADER_BYTES = 8192;

/**
 * What is a file to the parser: JSON too, because it is a text to the service. What has no file name is a field in the
 * end, whatever its type, as PHP has it.
 */
function isFile(_field: string | undefined, type: string | undefined, filename: string | undefined): boolean {
  return filename !== undefined || /^application\/(json|octet-stream)\b/i.test(type ?? '');
}

/**
 * Reads a multipart form into memory.
 *
 * @param body bounded already
 * @param largestFile in bytes
 * @throws ServiceError 413 with the field that is too large, 400 for what is no form, and what the body ends with
 */
export function readParts(
  body: Readable,
  headers: IncomingHttpHeaders,
  largestFile: number,
): Promise<FormParts> {
  const fields: [string, string][] = [];
  const files: UploadedFile[] = [];
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      reject(cause instanceof ServiceError ? cause : unreadable());
      body.destroy();
    };
    const form = openForm(headers, largestFile);
    if (form === undefined) {
      fail(unreadable());
      return;
    }
    form.on('field', (named: string | undefined, value, _nameCut, valueCut) => {
      const name = named ?? '';
      if (name.length > NAME_LENGTH) fail(nameTooLong());
      else if (valueCut) fail(tooLarge(plainFieldName(name), FIELD_BYTES));
      else fields.push([name, value]);
    });
    form.on('file', (...part) => {
      const [field, stream, filename, , contentType] = part;
      const name = (field as string | undefined) ?? '';
      const isNamed = (filename as string | undefined) !== undefined;
      const largest = isNamed ? largestFile : FIELD_BYTES;
      if (name.length > NAME_LENGTH) fail(nameTooLong());
      // Their place is taken now: parts keep their order, however late their bytes are together.
      const pair: [string, string] = [name, ''];
      if (!isNamed) fields.push(pair);
      const take = (bytes: Buffer | undefined): void => {
        if (bytes === undefined) fail(tooLarge(plainFieldName(name), largest));
        else if (!isNamed) pair[1] = bytes.toString('utf8');
        else files.push({ field: plainFieldName(name), filename, contentType, bytes });
      };
      collect(stream, largest).then(take, fail);
    });
    const most = `${String(FIELDS)} fields and ${String(FILES)} files`;
    const tooMany = (): void => fail(new ServiceError(413, `The form must not have more than ${most}.`));
    form.on('partsLimit', tooMany).on('filesLimit', tooMany).on('fieldsLimit', tooMany).on('error', fail);
    // Once after the last part: what was collected of it is there.
    form.on('finish', () => setImmediate(() => resolve({ fields, files })));
    body.once('error', fail);
    body.pipe(form);
  });
}

function openForm(headers: IncomingHttpHeaders, fileSize: number): BusboyInstance | undefined {
  const limits = {
    fileSize: Math.max(fileSize, FIELD_BYTES) + 1,
    files: FILES,
    fields: FIELDS,
    parts: FIELDS + FILES,
    fieldSize: FIELD_BYTES,
    fieldNameSize: NAME_LENGTH,
    headerPairs: HEADER_PAIRS,
    headerSize: HEADER_BYTES,
  };
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits,
      isPartAFile: isFile,
    });
  } catch {
    return undefined;
  }
}

/** The bytes of a file; undefined when there are more than `largest`. */
function collect(stream: BusboyFileStream, largest: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= largest) chunks.push(chunk);
      else resolve(undefined);
    });
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
  });
}

function nameTooLong(): ServiceError {
  return new ServiceError(
    413,
    `The name of a form field must not be longer than ${String(NAME_LENGTH)} characters.`,
  );
}

function unreadable(): ServiceError {
  return new ServiceError(400, 'The form cannot be read.');
}
