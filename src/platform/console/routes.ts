import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../handlers/handler.js';
import type { Gate } from '../admission/gate.js';
import { listAudit, listAuditFilters, showAudit } from './audit.js';
import { listCallbacks, showCallback } from './callbacks.js';
import { listCertificateContracts, listCertificates, showCertificate } from './certificates.js';
import { listDeployments, showDeployment } from './deployments.js';
import type { Scope } from '../../protocol/key.js';
import { revokeKey, shownKeys, type KeyRules } from './keys.js';
import { readOverview } from './overview.js';
import { listProjects, showProject, showVersion } from './projects.js';
import type { Query } from './query.js';
import type { RequestLog } from './request-log.js';
import { search } from './search.js';
import { listTransactions, showTransaction } from './transactions.js';
import { verifyAudit } from './verify-audit.js';
import { listContracts, listVersions } from './versions.js';
import { listWallets, revealWallet } from './wallets.js';

/** What the console's routes work on. */
export interface RouteParts {
  readonly context: Context;
  readonly gate: Gate;
  readonly requests: RequestLog;
  /** Client id of the development key; undefined where there is none. */
  readonly developmentKey: string | undefined;
}

type Answer = (context: Context, query: Query) => Promise<unknown>;

const READS: Readonly<Record<string, Answer>> = {
  '/overview': ({ records }, { org }) => readOverview(records, org),
  '/projects': listProjects,
  '/projects/:slug': showProject,
  '/projects/:slug/versions/:version': showVersion,
  '/versions': listVersions,
  '/contracts': listContracts,
  '/deployments': listDeployments,
  '/deployments/:id': showDeployment,
  '/transactions': listTransactions,
  '/transactions/:hash': showTransaction,
  '/audit': listAudit,
  '/audit-filters': listAuditFilters,
  '/audit/:id': showAudit,
  '/certificate-contracts': listCertificateContracts,
  '/certificates': listCertificates,
  '/certificates/:contract/:token': showCertificate,
  '/wallets': listWallets,
  '/callbacks': listCallbacks,
  '/callbacks/:id': showCallback,
  '/search': search,
};

/** What a person asks for by a button: it changes nothing, but costs work or tells of a person. */
const QUESTIONS: Readonly<Record<string, Answer>> = {
  '/audit/:id/verify': verifyAudit,
  '/wallets/:address/reveal': revealWallet,
};

/**
 * Mounts what the console needs and the service has no endpoint for, below `/_platform/console`, and the revoking of
 * keys. All of it needs a key or a session, and is bound to the organisation of that.
 */
export function mountConsoleRoutes(server: FastifyInstance, parts: RouteParts): void {
  const { context, gate, requests } = parts;
  const { records } = context;
  const route = (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    run: (query: Query, request: FastifyRequest) => Promise<unknown>,
    scope: Scope = 'read',
  ): void => {
    server.route({
      method,
      url: `/_platform${url}`,
      onRequest: gate.identify(scope),
      handler: async (request, reply) => {
        const result = await run(queryOf(gate, request), request);
        return reply.header('cache-control', 'no-store').send({ message: 'Success', result: result ?? null });
      },
    });
  };
  for (const [path, read] of Object.entries(READS)) {
    route('GET', `/console${path}`, (query) => read(context, query));
  }
  for (const [path, answer] of Object.entries(QUESTIONS)) {
    route('POST', `/console${path}`, (query) => answer(context, query));
  }
  route('GET', '/console/requests', async ({ org }) => requests.list(org));
  const rulesOf = ({ org }: Query, request: FastifyRequest): KeyRules => ({
    org,
    own: gate.keyOf(request).clientId,
    development: parts.developmentKey,
    now: context.now(),
  });
  route('GET', '/console/keys', (query, request) => shownKeys(records, rulesOf(query, request)));
  route(
    'DELETE',
    '/keys/:id',
    (query, request) => revokeKey(records, query.params['id'] ?? '', rulesOf(query, request)),
    'operate',
  );
}

function queryOf(gate: Gate, request: FastifyRequest): Query {
  const entries = Object.entries((request.query ?? {}) as Record<string, unknown>);
  return {
    org: gate.orgOf(request),
    params: (request.params ?? {}) as Record<string, string>,
    query: Object.fromEntries(
      entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
    ),
  };
}
