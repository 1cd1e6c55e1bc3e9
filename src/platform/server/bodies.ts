import { parse } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../handlers/handler.js';
import { exactText, noteExactness } from './exactness.js';
import { nestFields } from './form.js';

/**
 * Bodies that the service takes beside JSON and multipart: an empty one under any type, because clients name JSON on
 * requests that carry none; and a URL-encoded form, which PHP clients send unless told otherwise.
 */
export function acceptBodies(server: FastifyInstance): void {
  const json = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = exactText(Buffer.from(body));
    if (text === undefined) done(new ServiceError(400, 'The body is not UTF-8.'));
    else if (text === '') done(null, undefined);
    else
      void json(request, text, (cause, value) => done(cause ?? noteExactness(request, text) ?? null, value));
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string | Buffer) => {
      const unread: string[] = [];
      const decode = (text: string): string => {
        try {
          return decodeURIComponent(text);
        } catch {
          unread.push(text);
          return '';
        }
      };
      const decoded = parse(String(body), '&', '=', { maxKeys: 2000, decodeURIComponent: decode });
      const fields = Object.entries(decoded);
      // What is no UTF-8 would become another text.
      if (unread.length > 0) throw new ServiceError(400, 'The form is not UTF-8.');
      const pairs = fields.flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value ?? '']).map((text) => [name, text] as const),
      );
      const nested = nestFields(pairs);
      if (nested === undefined) throw new ServiceError(422, 'The form fields contradict one another.');
      return nested;
    },
  );
}
