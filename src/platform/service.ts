import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonObject } from '../model/json.js';
import { Gate } from './admission/gate.js';
import { mountConsole } from './console/console.js';
import { RequestLog } from './console/request-log.js';
import { Sessions } from './console/sessions.js';
import { linkOf } from './console/sign-in.js';
import { openContext, type ServeParts, type Undo } from './context.js';
import { notFound, type Context, type Handlers } from './handlers/handler.js';
import { MODULES } from './handlers/modules.js';
import { mountControls } from './server/controls.js';
import { KeyUse } from './server/access/key-use.js';
import { capabilitiesOf, mountHealth, mountReady, servedHandlers } from './server/health.js';
import { mountDocument } from './server/document.js';
import { logRequests } from './server/logs.js';
import { mountMetrics } from './server/metrics.js';
import { mountKey, mountOperator } from './server/operator.js';
import { listenOn } from './server/port.js';
import { mountRpc } from './server/rpc-door.js';
import { buildServer } from './server/server.js';
import { originsOf } from './server/access/web-pages.js';
import { Room } from './state/room.js';
import { FIRST_ORGANISATION } from './state/seed.js';

/** How late after its sending a write may begin, in milliseconds; a client that names the time is held to it. */
const MAX_EXECUTION_DELAY = 15_000;

/** Milliseconds that requests under way get when the platform ends. */
const CONNECTIONS_MS = 10_000;

/** Release of the interface that `GET /health` names. */
const VERSION = '1';

/** Where a service answers, each without a trailing slash but the console's. */
interface Addresses {
  readonly apiUrl: string;
  readonly rpcUrl: string;
  readonly consoleUrl: string;
}

/** Addresses of a running service; `localUrl` is where it listens, whatever it calls itself. */
type Served = Addresses & {
  readonly localUrl: string;
  /** An address that signs in to the console once, with this key. */
  readonly consoleLink: (clientId: string) => string;
};

/** What changes while a service runs. */
interface Place {
  /** Base of all addresses; empty until it listens, unless it was given. */
  url: string;
  /** True once it stops. */
  leaving: boolean;
  /** Who is signed in to the console. */
  readonly sessions: Sessions;
  /** Whether anything can be recorded. */
  readonly room: Room;
}

/** Joins handlers, compiler, chain and server, and begins to answer. */
export async function serve(parts: ServeParts, undo: Undo[]): Promise<Served> {
  const { options, records, outbox, side } = parts;
  const sessions = new Sessions({
    platform: parts.id,
    clock: () => performance.now(),
    capacity: parts.limits.sessions,
  });
  const { dataDir } = options;
  const goOn = { now: (): void => undefined };
  const room = new Room({ dataDir, records, failed: parts.failed, recovered: () => goOn.now() });
  undo.push(() => room.close());
  const place: Place = { url: options.publicUrl ?? '', leaving: false, sessions, room };
  const context = openContext(parts, () => place.url, undo);
  goOn.now = () => {
    side.wake();
    outbox.wake();
    context.compiler.retry();
  };
  const server = await openServer(parts, context, place);
  room.start();
  await side.start();
  outbox.start();
  undo.push(async () => {
    place.leaving = true;
    await pause(options.drainMs ?? 0);
    parts.faults.leave();
    side.leave();
    // What is under way is answered; idle connections are closed, and in the end those that only trickle.
    const late = setTimeout(() => {
      server.server.closeAllConnections();
    }, CONNECTIONS_MS);
    await server.close();
    clearTimeout(late);
  });
  await listenOn(server, records, { host: parts.host, port: options.port });
  const localUrl = addressOf(server, parts.host);
  if (place.url === '') place.url = localUrl;
  const { consoleUrl } = addressesOf(place);
  const consoleLink = (clientId: string): string =>
    linkOf({ url: () => consoleUrl, sessions }, { clientId, org: FIRST_ORGANISATION });
  return { ...addressesOf(place), localUrl, consoleLink };
}

/** The server with all its routes; it does not listen yet. */
async function openServer(parts: ServeParts, context: Context, place: Place): Promise<FastifyInstance> {
  const { options, records, outbox, clock, faults, failed, loopback } = parts;
  const handlers = servedHandlers(options.capabilities);
  for (const module of MODULES) module.start?.(context);
  const { limits, rates } = parts;
  const gate = new Gate({
    limits,
    rates,
    reader: records,
    now: clock.now,
    use: new KeyUse(records),
    visitor: (request) => place.sessions.clientOf(request),
    unwritable: () => place.room.fault,
  });
  const { refusals = 'status', trustProxy = false } = options;
  const { room } = place;
  const common = { context, handlers, gate, limits, room, faults, refusals, trustProxy, failed };
  const allowed = originsOf(options.allowOrigins);
  const pages = { loopbackOnly: loopback, allowed, url: () => place.url };
  const server = buildServer({ ...common, pages });
  if (parts.log) logRequests(server, parts.log, gate);
  const operatorOnly = async (request: FastifyRequest): Promise<void> => {
    await gate.identify('read')(request);
    if (gate.orgOf(request) !== FIRST_ORGANISATION) throw notFound();
  };
  await mountMetrics(server, {
    reader: records,
    admit: loopback ? undefined : operatorOnly,
    quotas: parts.quotas,
    load: {
      requests: () => gate.requestsRunning,
      bytes: () => gate.bytesHeld,
      calls: () => parts.side.readsRunning(),
    },
  });
  mountDocument(server, { handlers, url: () => place.url });
  const { batchCalls } = limits;
  mountRpc(server, context, { org: FIRST_ORGANISATION, batchCalls, ...(!loopback && { gate }) });
  mountOperator(server, { context, outbox, gate });
  mountKey(server, gate, parts.id);
  if (options.faultControls ?? loopback) {
    mountControls(server, { faults, clock, records, gate, tellTime: () => parts.side.tellTime() });
  }
  const about = (): JsonObject => healthOf(parts, handlers, addressesOf(place));
  const whose = (request: FastifyRequest): string | undefined =>
    gate.whose(request) ?? (loopback ? FIRST_ORGANISATION : undefined);
  mountConsole(server, {
    context,
    gate,
    sessions: place.sessions,
    requests: new RequestLog({ whose, now: clock.now }),
    developmentKey: parts.developmentKey?.client_id,
    about,
    url: () => addressesOf(place).consoleUrl,
  });
  mountHealth(server, about);
  mountReady(server, async () => (place.leaving ? 'it is stopping' : readiness(parts, room)));
  return server;
}

function addressesOf({ url }: Place): Addresses {
  return { apiUrl: url, rpcUrl: `${url}/rpc`, consoleUrl: `${url}/console/` };
}

async function readiness({ side, records }: ServeParts, room: Room): Promise<string | undefined> {
  const fault = (await side.fault()) ?? (await room.look());
  if (fault !== undefined) return fault;
  const answers = records.first('SELECT 1 AS one').then(
    () => true,
    () => false,
  );
  return (await answers) ? undefined : 'the records cannot be read';
}

function healthOf({ id, side, options }: ServeParts, handlers: Handlers, addresses: Addresses): JsonObject {
  return {
    status: side.alive() ? 'ok' : 'chain-ended',
    id,
    version: VERSION,
    capabilities: capabilitiesOf(handlers),
    api_url: addresses.apiUrl,
    rpc_url: addresses.rpcUrl,
    console_url: addresses.consoleUrl,
    chain_id: side.chain.chainId,
    genesis: side.genesis,
    // A node of somebody else's may take any time to show what was recorded here.
    ...(options.rpcUrl === undefined && { max_execution_delay_ms: MAX_EXECUTION_DELAY }),
  };
}

function addressOf(server: FastifyInstance, host: string): string {
  const { port } = server.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}
