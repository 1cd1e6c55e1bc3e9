import { parse } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../handlers/handler.js';
import { nestFields } from './form.js';

/**
 * Bodies that the service takes beside JSON and multipart: an empty one under any type, because clients name JSON on
 * requests that carry none; and a URL-encoded form, which PHP clients send unless told otherwise.
 */
export function acceptBodies(server: FastifyInstance): void {
  const json = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void json(request, String(body), done);
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string | Buffer) => {
      const fields = Object.entries(parse(String(body), '&', '=', { maxKeys: 2000 }));
      const pairs = fields.flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value ?? '']).map((text) => [name, text] as const),
      );
      const nested = nestFields(pairs);
      if (nested === undefined) throw new ServiceError(422, 'The form fields contradict one another.');
      return nested;
    },
  );
}
