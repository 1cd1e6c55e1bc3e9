import type { FastifyRequest } from 'fastify';
import { isJsonObject, type Json } from '../../model/json.js';
import { endpointOf, type EndpointName } from '../../protocol/endpoint.js';
import { fileLimit } from '../bodies/body-limits.js';
import { inexactnessesOf } from '../bodies/exactness.js';
import { nestFields } from '../bodies/form.js';
import { readParts } from '../bodies/multipart.js';
import { multipartOf } from '../bodies/parsers.js';
import { invalid, ServiceError, type Call } from '../handlers/handler.js';
import { noteSent } from './exchanges.js';

/** Parameters of one query. */
const PARAMETERS = 50;

/** Reads a Fastify request into the call that a handler takes. */
export async function readCall(name: EndpointName, org: string, request: FastifyRequest): Promise<Call> {
  const params = (request.params ?? {}) as Record<string, string>;
  const query = queryOf(request.query);
  const bare: Call = { org, params, query, body: {}, files: [] };
  if (endpointOf(name).body === 'none') return bare;
  const form = multipartOf(request);
  if (form) {
    const { fields, files } = await readParts(form, request.headers, fileLimit(name));
    noteSent(request, { type: 'form', fields, files: files.map(({ field }) => field) });
    return { ...bare, body: nestFields(fields), files };
  }
  const body = request.body as Json | undefined;
  if (body === undefined || body === null) return bare;
  if (!isJsonObject(body)) throw new ServiceError(400, 'The body must be a JSON object.');
  noteSent(request, { type: 'json', body });
  return { ...bare, body, respelled: inexactnessesOf(request).map(({ path }) => path) };
}

function queryOf(query: unknown): Record<string, string> {
  const entries = Object.entries((query ?? {}) as Record<string, unknown>);
  if (entries.length > PARAMETERS)
    throw invalid({ query: [`The query must not have more than ${String(PARAMETERS)} parameters.`] });
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const last: unknown = Array.isArray(value) ? value.at(-1) : value;
      return typeof last === 'string' ? [[name, last] as const] : [];
    }),
  );
}
