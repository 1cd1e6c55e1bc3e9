import type { FastifyInstance } from 'fastify';
import type { Context } from '../handlers/handler.js';
import { FIRST_ORGANISATION } from '../state/seed.js';

/** What stands at the head of the console. */
export interface ConsoleFacts {
  readonly id: string;
  readonly apiUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
}

interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/**
 * A page for people at `/`: counts, wallets, the newest versions and deployments of the first organisation. No key, no
 * personal data and no callback address stands on it. Mount it on loopback only.
 */
export function mountConsole(server: FastifyInstance, context: Context, facts: () => ConsoleFacts): void {
  server.route({
    method: 'GET',
    url: '/',
    handler: async (_request, reply) =>
      reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'no-store')
        .send(page(facts(), await tablesOf(context))),
  });
}

async function tablesOf({ records, wallets }: Context): Promise<readonly Table[]> {
  const org = FIRST_ORGANISATION;
  const counts = await records.all<{ what: string; n: number }>(
    `SELECT 'Projects' AS what, count(*) AS n FROM projects WHERE org = ?
     UNION ALL SELECT 'Versions', count(*) FROM versions WHERE org = ?
     UNION ALL SELECT 'Deployed contracts', count(*) FROM instances WHERE org = ? AND status = 'success'
     UNION ALL SELECT 'Transactions', count(*) FROM transactions WHERE org = ?
     UNION ALL SELECT 'Blocks', count(*) FROM blocks
     UNION ALL SELECT 'Callbacks not acknowledged', count(*) FROM callbacks WHERE org = ? AND state <> 'delivered'`,
    Array.from({ length: 5 }, () => org),
  );
  const versions = await records.all<{ project: string; slug: string; version: string; status: string }>(
    `SELECT projects.slug AS project, versions.slug, versions.version, versions.status FROM versions
     JOIN projects ON projects.id = versions.project_id WHERE versions.org = ? ORDER BY versions.id DESC LIMIT 20`,
    [org],
  );
  const deployments = await records.all<{ id: string; status: string; error: string | null; at: string }>(
    `SELECT deployment_id AS id, status, latest_error AS error, created_at AS at FROM deployments WHERE org = ?
     ORDER BY id DESC LIMIT 20`,
    [org],
  );
  const owned = await wallets.list(records, org, 'organisation');
  return [
    { title: 'Counts', head: ['', ''], rows: counts.map(({ what, n }) => [what, n]) },
    {
      title: 'Organisation wallets',
      head: ['Name', 'Address'],
      rows: owned.map((one) => [one.name, one.address]),
    },
    {
      title: 'Versions',
      head: ['Project', 'Slug', 'Version', 'Status'],
      rows: versions.map((one) => [one.project, one.slug, one.version, one.status]),
    },
    {
      title: 'Deployments',
      head: ['Deployment', 'Status', 'Error', 'Created'],
      rows: deployments.map((one) => [one.id, one.status, one.error, one.at]),
    },
  ];
}

function page(facts: ConsoleFacts, tables: readonly Table[]): string {
  const about = `${facts.id} · API ${facts.apiUrl} · JSON-RPC ${facts.rpcUrl} · chain ${String(facts.chainId)}`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Windlass platform</title><style>${STYLE}</style>
<h1>Windlass platform</h1><p>${escaped(about)} · <a href="/docs">API reference</a></p>${tables.map(section).join('')}</html>`;
}

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:70rem}table{border-collapse:collapse}' +
  'td,th{border-bottom:1px solid #ccc;padding:.2rem 1rem .2rem 0;text-align:left;vertical-align:top}';

function section({ title, head, rows }: Table): string {
  const cells = (tag: 'td' | 'th', values: readonly (string | number | null)[]): string =>
    `<tr>${values.map((value) => `<${tag}>${escaped(String(value ?? ''))}</${tag}>`).join('')}</tr>`;
  const body = rows.map((row) => cells('td', row)).join('');
  return `<h2>${escaped(title)}</h2><table>${cells('th', head)}${body}</table>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
}
