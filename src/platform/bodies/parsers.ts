import { parse } from 'node:querystring';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid, ServiceError } from '../handlers/handler.js';
import { exactText, noteExactness } from './exactness.js';
import { FIELDS, nestFields } from './form.js';
import { DEPTH, shapeFault, VALUES } from './json-shape.js';

/** Bytes of a body for each value that it may hold: large bodies are lists of long texts. */
const BYTES_PER_VALUE = 40;

const forms = new WeakMap<FastifyRequest, Readable>();

/** The multipart body of a request, unread; undefined when it has none. */
export function multipartOf(request: FastifyRequest): Readable | undefined {
  return forms.get(request);
}

/**
 * How bodies are read: JSON, whose shape is looked at before it is parsed; URL-encoded forms, which PHP clients send
 * unless told otherwise; multipart, which whoever wants it reads. Clients name JSON on requests that carry nothing. Nothing
 * is unpacked: a few bytes could become any number.
 */
export function acceptBodies(server: FastifyInstance): void {
  const json = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser('application/json');
  server.addHook('preParsing', async (request) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity')
      throw new ServiceError(415, 'The body must not be compressed.');
  });
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = Buffer.from(body);
    if (bytes.length === 0) {
      done(null, undefined);
      return;
    }
    const text = exactText(bytes);
    if (text === undefined) {
      done(new ServiceError(400, 'The body is not UTF-8.'));
      return;
    }
    const values = Math.max(VALUES, Math.floor(request.routeOptions.bodyLimit / BYTES_PER_VALUE));
    const fault = shapeFault(bytes, values);
    if (fault === undefined)
      void json(request, text, (cause, value) => done(cause ?? noteExactness(request, text) ?? null, value));
    else
      done(shapeRefusal(fault === 'depth' ? 'nest deeper' : 'hold more', fault === 'depth' ? DEPTH : values));
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
      // One more than there may be: a form that is too long is refused, and not cut.
      const decoded = parse(String(body), '&', '=', { maxKeys: FIELDS + 1, decodeURIComponent: decode });
      const fields = Object.entries(decoded);
      // What is no UTF-8 would become another text.
      if (unread.length > 0) throw new ServiceError(400, 'The form is not UTF-8.');
      return nestFields(
        fields.flatMap(([name, value]) =>
          (Array.isArray(value) ? value : [value ?? '']).map((text) => [name, text] as const),
        ),
      );
    },
  );
  server.addContentTypeParser('multipart/form-data', (request, body, done) => {
    forms.set(request, body);
    done(null);
  });
}

function shapeRefusal(verb: string, limit: number): ServiceError {
  const unit = verb === 'nest deeper' ? 'levels' : 'values';
  return invalid({ body: [`The body must not ${verb} than ${String(limit)} ${unit}.`] });
}
