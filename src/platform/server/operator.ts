import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isJsonObject } from '../../model/json.js';
import type { Outbox } from '../delivery/outbox.js';
import { createProject, listProjects } from '../handlers/contracts/projects.js';
import { Fields } from '../handlers/fields.js';
import { notFound, ServiceError, type Context } from '../handlers/handler.js';
import { wire } from '../handlers/wire.js';
import { createApiKey, FIRST_ORGANISATION } from '../state/seed.js';
import { listApiKeys } from './keys.js';
import type { Gate } from './limits.js';

/** What the operator's routes work on. */
export interface OperatorParts {
  readonly context: Context;
  readonly outbox: Outbox;
  readonly gate: Gate;
}

/**
 * Routes below `/_platform` for the operator's command line: keys, projects, organisation wallets and callbacks of
 * the key's organisation. Only the first organisation may make keys of another one.
 */
export function mountOperator(server: FastifyInstance, parts: OperatorParts): void {
  const { context, outbox, gate } = parts;
  const route = (
    method: 'GET' | 'POST',
    path: string,
    run: (org: string, request: FastifyRequest) => Promise<unknown>,
  ): void => {
    server.route({
      method,
      url: `/_platform${path}`,
      onRequest: gate.identify,
      handler: async (request) => ({
        message: 'Success',
        result: await run(gate.orgOf(request), request),
      }),
    });
  };
  route('GET', '/keys', (org) => listApiKeys(context.records, org));
  route('POST', '/keys', (org, request) => createKey(context, org, request));
  route('GET', '/wallets', async (org) => {
    const wallets = await context.wallets.list(context.records, org);
    return wallets.filter((wallet) => wallet.wallet_type !== 'system').map(wire);
  });
  route('POST', '/wallets', (org, request) => createWallet(context, org, request));
  // The core interface makes no projects, yet needs one.
  route('POST', '/projects', async (org, request) => {
    const body = isJsonObject(request.body) ? request.body : {};
    return (await createProject(context, { org, params: {}, query: {}, body, files: [] })).result;
  });
  route('GET', '/projects', async (org) => {
    return (await listProjects(context, { org, params: {}, query: {}, body: {}, files: [] })).result;
  });
  route('GET', '/callbacks', (org) => outbox.list(org));
  route('POST', '/callbacks/:id/resend', async (org, request) => {
    const { id } = request.params as { readonly id: string };
    if (!/^\d{1,15}$/.test(id) || !(await outbox.resend(org, Number(id)))) throw notFound();
    return null;
  });
}

async function createKey(context: Context, caller: string, request: FastifyRequest): Promise<unknown> {
  const fields = fieldsOf(request);
  const name = fields.text('name');
  const org = fields.optionalText('organisation', 60) ?? caller;
  if (!/^[a-z0-9-]+$/.test(org)) fields.fault('organisation', 'format is invalid.');
  fields.check();
  if (org !== caller && caller !== FIRST_ORGANISATION) throw new ServiceError(403, 'Forbidden.');
  return createApiKey(context.records, { org, name, now: context.now() });
}

async function createWallet(context: Context, org: string, request: FastifyRequest): Promise<unknown> {
  const fields = fieldsOf(request);
  const name = fields.text('name');
  fields.check();
  return context.records.transact((writer) =>
    context.wallets.create(writer, { org, name, type: 'organisation' }),
  );
}

function fieldsOf(request: FastifyRequest): Fields {
  return new Fields(isJsonObject(request.body) ? request.body : {});
}
