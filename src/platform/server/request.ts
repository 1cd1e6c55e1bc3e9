import type { FastifyRequest } from 'fastify';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { endpointOf, MINT_TIERS, type EndpointName } from '../../protocol/endpoint.js';
import { ServiceError, type Call, type UploadedFile } from '../handlers/handler.js';
import { inexactnessesOf } from './exactness.js';
import { noteSent } from './exchanges.js';
import { nestFields, plainFieldName } from './form.js';

/** Largest uploaded source file in bytes; contracts of 24 KB come from far less. */
const SOURCE_BYTES = 5_000_000;

/** Largest form in bytes beside its image: hundreds of source files, or every field of a certificate. */
const FORM_BYTES = 25_000_000;

/** Reads a Fastify request into the call that a handler takes. */
export async function readCall(name: EndpointName, org: string, request: FastifyRequest): Promise<Call> {
  const params = (request.params ?? {}) as Record<string, string>;
  const query = queryOf(request.query);
  const bare: Call = { org, params, query, body: {}, files: [] };
  if (endpointOf(name).body === 'none') return bare;
  if (request.isMultipart()) return { ...bare, ...(await readForm(name, request)) };
  const body = request.body as Json | undefined;
  if (body === undefined || body === null) return bare;
  if (!isJsonObject(body)) throw new ServiceError(400, 'The body must be a JSON object.');
  noteSent(request, { type: 'json', body });
  return { ...bare, body, respelled: inexactnessesOf(request).map(({ path }) => path) };
}

function queryOf(query: unknown): Record<string, string> {
  const entries = Object.entries((query ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const last: unknown = Array.isArray(value) ? value.at(-1) : value;
      return typeof last === 'string' ? [[name, last] as const] : [];
    }),
  );
}

interface Parts {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly UploadedFile[];
}

async function readForm(
  name: EndpointName,
  request: FastifyRequest,
): Promise<{ readonly body: JsonObject; readonly files: readonly UploadedFile[] }> {
  const { fields, files } = await readParts(name, request).catch((cause: unknown) => {
    throw refusalOf(cause);
  });
  noteSent(request, { type: 'form', fields, files: files.map(({ field }) => field) });
  const body = nestFields(fields);
  if (body === undefined) throw new ServiceError(422, 'The form fields contradict one another.');
  return { body, files };
}

/** The parser's complaints in the service's words: most of them carry no status. */
function refusalOf(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  const { code, statusCode } = cause as { readonly code?: unknown; readonly statusCode?: unknown };
  if (code === 'FST_REQ_FILE_TOO_LARGE') return new ServiceError(413, 'The file is too large.');
  if (statusCode === 413) return new ServiceError(413, 'The form has too many fields.');
  return new ServiceError(400, 'The form cannot be read.');
}

/**
 * What is a file to the parser: JSON too, because it is a text to the service, which the parser would take apart. What
 * has no file name is a field in the end, whatever its type, as PHP has it.
 */
function isFile(_field: string | undefined, type: string | undefined, filename: string | undefined): boolean {
  return filename !== undefined || /^application\/(json|octet-stream)\b/i.test(type ?? '');
}

async function readParts(name: EndpointName, request: FastifyRequest): Promise<Parts> {
  const fields: [string, string][] = [];
  const files: UploadedFile[] = [];
  let room = formLimit(name);
  const limits = { fileSize: fileLimit(name), files: 1000, fields: 2000, fieldSize: 1_000_000, parts: 3000 };
  for await (const part of request.parts({ limits, isPartAFile: isFile })) {
    if (part.type === 'field') {
      if (part.fieldnameTruncated || part.valueTruncated)
        throw new ServiceError(413, 'A form field is too large.');
      const value = String(part.value);
      room -= value.length;
      fields.push([part.fieldname, value]);
    } else {
      const { fieldname, filename, mimetype: contentType } = part;
      const bytes = await part.toBuffer();
      room -= bytes.length;
      if ((filename as string | undefined) === undefined) fields.push([fieldname, bytes.toString('utf8')]);
      else files.push({ field: plainFieldName(fieldname), filename, contentType, bytes });
    }
    if (room < 0) throw new ServiceError(413, 'The form is too large.');
  }
  return { fields, files };
}

/** Mint images: the tier's limit in its larger reading (MiB); the handler judges, this only bounds memory. */
function fileLimit(name: EndpointName): number {
  const tier = MINT_TIERS.find(({ endpoint }) => endpoint === name);
  return tier ? Math.ceil(tier.maxBytes * 1.1) : SOURCE_BYTES;
}

/** Everything of one form together; an image comes with fields that are small. */
function formLimit(name: EndpointName): number {
  const image = fileLimit(name);
  return image === SOURCE_BYTES ? FORM_BYTES : image + SOURCE_BYTES;
}
