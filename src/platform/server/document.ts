import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { isJsonObject, textMember, type JsonObject } from '../../model/json.js';
import { notFound, type Handlers } from '../handlers/handler.js';

/** What the served document depends on. */
export interface DocumentParts {
  /** Only the operations that have a handler are in it. */
  readonly handlers: Handlers;
  /** The platform's own base address, without a trailing slash. */
  readonly url: () => string;
}

const require = createRequire(import.meta.url);

/** The description of the service; lies beside `src/` and `dist/` alike. */
const DOCUMENT = new URL('../../../schemas/openapi.yaml', import.meta.url);

/** Files of the reference page that come with Swagger UI, and their types. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/**
 * Only what the platform serves itself, and no script in the page. Swagger UI sets styles on elements and shows
 * pictures that are part of its stylesheet.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Platform API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Credentials that a person types stay in the page: nothing is persisted. */
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/**
 * Serves the OpenAPI document, as YAML and JSON, and a page to read and try it: all without a key, and without anything
 * from elsewhere. What the platform does not serve is not in it.
 */
export function mountDocument(server: FastifyInstance, parts: DocumentParts): void {
  // Reading the document takes a moment that anybody could ask for again and again.
  const asJson = once(parts.url, async () => JSON.stringify(await servedDocument(parts)));
  const asYaml = once(parts.url, async () => {
    const { stringify } = await import('yaml');
    return stringify(await servedDocument(parts), { aliasDuplicateObjects: false });
  });
  server.get('/openapi.json', async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(await asJson()),
  );
  server.get('/openapi.yaml', async (_request, reply) =>
    reply.header('content-type', 'application/yaml; charset=utf-8').send(await asYaml()),
  );
  page(server, '/docs', 'text/html; charset=utf-8', async () => PAGE);
  page(server, '/docs/start.js', 'text/javascript; charset=utf-8', async () => START);
  const swagger = require.resolve('@fastify/swagger-ui/package.json');
  for (const [name, type] of Object.entries(ASSETS)) {
    const asset = once(parts.url, () => readFile(new URL(`static/${name}`, `file://${swagger}`)));
    page(server, `/docs/${name}`, type, asset);
  }
}

/** What was made once, for as long as what it is made for stays the same. What fails is made again. */
function once<T>(of: () => string, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly of: string; readonly value: Promise<T> } | undefined;
  return () => {
    if (made?.of === of()) return made.value;
    const fresh = { of: of(), value: make() };
    made = fresh;
    fresh.value.catch(() => {
      if (made === fresh) made = undefined;
    });
    return fresh.value;
  };
}

function page(
  server: FastifyInstance,
  path: string,
  type: string,
  read: () => Promise<string | Buffer>,
): void {
  server.get(path, async (_request, reply) =>
    reply
      .header('content-type', type)
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .send(await read()),
  );
}

async function servedDocument({ handlers, url }: DocumentParts): Promise<JsonObject> {
  const { parse } = await import('yaml');
  const document = parse(await readFile(DOCUMENT, 'utf8')) as JsonObject;
  const paths = document['paths'];
  if (!isJsonObject(paths)) throw notFound();
  const served = Object.entries(paths).flatMap(([path, item]) => {
    const operations = Object.entries(item as JsonObject).filter(([, operation]) =>
      Object.hasOwn(handlers, textMember(operation, 'operationId') ?? ''),
    );
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)] as const];
  });
  const here = { url: url(), description: 'This platform.' };
  return { ...document, servers: [here], paths: Object.fromEntries(served) };
}
