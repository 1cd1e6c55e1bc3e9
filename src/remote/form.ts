import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { Payload } from './exchange.js';

/** Up to this size a form is sent as one buffer, above it piece by piece: less memory (measured, stack §6). */
const BUFFER_BYTES = 1_000_000;

/** A file of a form, with its bytes. */
export interface FormFile {
  readonly field: string;
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/**
 * The fields of a nested body as the service's forms spell them: `a[b][c]`, lists of scalars `a[]`, lists of
 * anything else `a[0][b]`, booleans `1` or `0`, null as empty text (interface, create version).
 */
export function formFields(body: JsonObject): readonly (readonly [name: string, value: string])[] {
  return Object.entries(body).flatMap(([name, value]) => fieldsOf(name, value));
}

function fieldsOf(name: string, value: Json): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).flatMap((item, index) =>
      fieldsOf(typeof item === 'object' && item !== null ? `${name}[${index}]` : `${name}[]`, item),
    );
  }
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => fieldsOf(`${name}[${key}]`, item));
  }
  if (typeof value === 'boolean') return [[name, value ? '1' : '0']];
  return [[name, value === null ? '' : `${value as string | number}`]];
}

/** A multipart body of known length, and its headers. Files come after the fields, in the order given. */
export async function encodeForm(
  body: JsonObject,
  files: readonly FormFile[],
): Promise<{ readonly payload: Payload; readonly headers: Readonly<Record<string, string>> }> {
  const { default: FormData } = await import('form-data');
  const form = new FormData();
  for (const [name, value] of formFields(body)) form.append(name, value);
  for (const { field, filename, bytes } of files) {
    form.append(field, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { filename });
  }
  const headers = { 'content-type': `multipart/form-data; boundary=${form.getBoundary()}` };
  const sizeBytes = form.getLengthSync();
  if (sizeBytes <= BUFFER_BYTES) return { payload: { bytes: form.getBuffer() }, headers };
  const { PassThrough } = await import('node:stream');
  return { payload: { chunks: form.pipe(new PassThrough()), sizeBytes }, headers };
}
