import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isJsonObject, type JsonObject } from '../../model/json.js';
import { KEY_PATH, type KeyFacts } from '../../protocol/key.js';
import { aboutSubjects } from '../console/subjects.js';
import type { CallbackItem } from '../delivery/callback-item.js';
import type { Outbox } from '../delivery/outbox.js';
import { createProject, listProjects } from '../handlers/contracts/projects.js';
import { Fields } from '../handlers/fields.js';
import { notFound, ServiceError, type Context } from '../handlers/handler.js';
import { wire } from '../handlers/wire.js';
import { COMMAND_LINE_KEY, createApiKey, FIRST_ORGANISATION } from '../state/seed.js';
import { QuotaUsed } from '../admission/refusals.js';
import { listApiKeys, type KnownKey } from './access/keys.js';
import { readRights } from './access/rights.js';
import type { Gate } from '../admission/gate.js';

/** What the operator's routes work on. */
export interface OperatorParts {
  readonly context: Context;
  readonly outbox: Outbox;
  readonly gate: Gate;
}

/**
 * Routes below `/_platform` for the operator's command line: keys, projects, organisation wallets and callbacks of
 * the key's organisation. Reading them takes the scope `read`, changing anything `operate`. Only the first organisation
 * may make keys of another one.
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
      onRequest: gate.identify(method === 'GET' ? 'read' : 'operate'),
      handler: async (request) => ({
        message: 'Success',
        result: await run(gate.orgOf(request), request),
      }),
    });
  };
  route('GET', '/keys', (org) => listApiKeys(context.records, org));
  route('POST', '/keys', (_org, request) => createKey(context, gate.keyOf(request), request));
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
  const told = async (org: string, items: readonly CallbackItem[]): Promise<readonly JsonObject[]> => {
    const subjects = items.map(({ subject }) => subject);
    const about = await aboutSubjects(context.records, org, subjects);
    return items.map(({ id, subject, ...item }) => ({ id, about: about(subject).text, ...item }));
  };
  route('GET', '/callbacks', async (org) => told(org, await outbox.list(org)));
  route('POST', '/callbacks/:id/resend', async (org, request) => {
    const { id } = request.params as { readonly id: string };
    const resent = /^\d{1,15}$/.test(id) ? await outbox.resend(org, Number(id)) : undefined;
    if (!resent) throw notFound();
    return (await told(org, [resent]))[0];
  });
}

/** Answers {@link KEY_PATH}: what a key may do, and whose it is. Any key may ask that. */
export function mountKey(server: FastifyInstance, gate: Gate, platformId: string): void {
  server.route({
    method: 'GET',
    url: KEY_PATH,
    onRequest: gate.identify(undefined),
    handler: async (request): Promise<{ readonly message: string; readonly result: KeyFacts }> => {
      const { org, name, scopes, expires_at } = gate.keyOf(request);
      const result = { platform_id: platformId, organisation_id: org, name, scopes, expires_at };
      return { message: 'Success', result };
    },
  });
}

async function createKey(context: Context, giver: KnownKey, request: FastifyRequest): Promise<unknown> {
  const now = context.now();
  const fields = fieldsOf(request);
  const name = fields.text('name');
  if (name === COMMAND_LINE_KEY) fields.fault('name', 'is taken by the key of the command line.');
  const org = fields.optionalText('organisation', 60) ?? giver.org;
  if (!/^[a-z0-9-]+$/.test(org)) fields.fault('organisation', 'format is invalid.');
  const rights = readRights(fields, giver, now);
  fields.check();
  if (org !== giver.org && giver.org !== FIRST_ORGANISATION) throw new ServiceError(403, 'Forbidden.');
  const limit = context.quotas.limit('keys');
  if ((await listApiKeys(context.records, org)).length >= limit) throw new QuotaUsed(429, 'keys', limit);
  return { ...(await createApiKey(context.records, { org, name, now, rights })), ...rights };
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
