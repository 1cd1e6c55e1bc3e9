import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { notFound } from '../handlers/handler.js';

const require = createRequire(import.meta.url);

/** The page's own modules, as they are written: browsers run them without a build. */
const PAGE = fileURLToPath(new URL('page/', import.meta.url));

/** Modules of installed packages that the page imports, by the name that it imports them under: where each lies. */
const VENDOR: Readonly<Record<string, () => string>> = {
  'preact.js': () => require.resolve('preact'),
  'hooks.js': () => require.resolve('preact/hooks'),
  'htm.js': () => join(dirname(require.resolve('htm')), 'htm.module.js'),
};

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Nothing from elsewhere, and no script or style in the page itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the console's page below `/console/`, without a key: it holds no data. `/` leads there. Addresses in it are
 * relative, so that a proxy may put the platform below any path.
 */
export function mountPage(server: FastifyInstance): void {
  server.get('/', async (_request, reply) => reply.redirect('console/'));
  server.get('/console', async (request, reply) => {
    const [path = ''] = request.url.split('?');
    if (!path.endsWith('/')) return reply.redirect('console/');
    return send(reply, 'text/html; charset=utf-8', await readFile(join(PAGE, 'index.html')));
  });
  server.get('/console/:name', async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (type === undefined || !/^[a-z-]+\.[a-z]+$/.test(name)) throw notFound();
    return send(reply, type, await own(name));
  });
  server.get('/console/vendor/:name', async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    return send(reply, TYPES['js'] ?? '', await vendor(name));
  });
}

async function own(name: string): Promise<Buffer> {
  return readFile(join(PAGE, name)).catch(() => {
    throw notFound();
  });
}

/** A module of an installed package; what it imports by name is beside it under its file's name. */
async function vendor(name: string): Promise<string> {
  const place = Object.hasOwn(VENDOR, name) ? VENDOR[name] : undefined;
  if (!place) throw notFound();
  const text = await readFile(place(), 'utf8');
  return text.replace(/from\s*"preact"/g, 'from"./preact.js"').replace(/\n\/\/# sourceMappingURL=.*/, '');
}

function send(reply: FastifyReply, type: string, body: string | Buffer): FastifyReply {
  return reply
    .header('content-type', type)
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-cache')
    .send(body);
}
