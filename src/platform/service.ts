import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../model/json.js';
import type { ChainSide } from './chain/chain-side.js';
import type { Wallets } from './chain/wallets.js';
import { runQueue } from './compiler/queue.js';
import { CompilerThreads } from './compiler/threads.js';
import type { Outbox } from './delivery/outbox.js';
import { openFiles } from './files/store.js';
import { compileJobs } from './handlers/contracts/compile-jobs.js';
import type { Context, Handlers, Settings } from './handlers/handler.js';
import { MODULES } from './handlers/modules.js';
import type { PlatformOptions } from './options.js';
import { mountConsole } from './server/console.js';
import { capabilitiesOf, mountHealth, servedHandlers } from './server/health.js';
import { Gate, type Limits } from './server/limits.js';
import { mountDocument } from './server/document.js';
import { mountOperator } from './server/operator.js';
import { listenOn } from './server/port.js';
import { mountRpc } from './server/rpc-door.js';
import { buildServer } from './server/server.js';
import type { Records } from './state/records.js';
import { FIRST_ORGANISATION } from './state/seed.js';

/** A request is executed at once or not at all; this bounds what may wait for the chain, in milliseconds. */
const MAX_EXECUTION_DELAY = 15_000;

/** Release of the interface that `GET /health` names. */
const VERSION = '1';

/** Limits beyond loopback unless others are given: the public service of this kind takes as many. */
const HOSTED_LIMITS: Limits = { requestsPerMinute: 400 };

/** How to take back one part of a start. */
export type Undo = () => Promise<void> | void;

/** Where a service answers, each without a trailing slash but the console's. */
interface Addresses {
  readonly apiUrl: string;
  readonly rpcUrl: string;
  readonly consoleUrl: string;
}

/** What a service is made of. */
export interface ServeParts {
  readonly options: PlatformOptions;
  readonly host: string;
  readonly loopback: boolean;
  readonly records: Records;
  readonly wallets: Wallets;
  readonly outbox: Outbox;
  readonly side: ChainSide;
  readonly now: () => number;
  readonly failed: (cause: unknown) => void;
  readonly id: string;
}

/** Joins handlers, compiler, chain and server, and begins to answer. */
export async function serve(parts: ServeParts, undo: Undo[]): Promise<Addresses> {
  const { options, records, wallets, outbox, side, now, failed, loopback } = parts;
  const place = { url: options.publicUrl ?? '' };
  const files = openFiles(join(options.dataDir, 'files'), () => place.url);
  const limit = options.compileWorkers ?? 2;
  const threads = new CompilerThreads(limit);
  const jobs = compileJobs({ records, files, now }, { threads, cacheDir: options.cacheDir });
  const compiler = runQueue(jobs, limit, failed);
  undo.push(() => {
    compiler.stop();
    return threads.close();
  });
  const context: Context = {
    records,
    wallets,
    files,
    compiler,
    now,
    delivery: outbox,
    chain: side.chain,
    transactions: side.transactions,
    fees: side.fees,
    settings: settingsOf(options, () => place.url),
  };
  const handlers = servedHandlers(options.capabilities);
  for (const module of MODULES) module.start?.(context);
  const gate = new Gate({
    limits: { ...(!loopback && HOSTED_LIMITS), ...options.limits },
    reader: records,
    now,
  });
  const refusals = options.refusals ?? 'status';
  const server = buildServer({ context, handlers, gate, loopbackOnly: loopback, refusals, failed });
  mountDocument(server, { handlers, url: () => place.url });
  mountRpc(server, context, { org: FIRST_ORGANISATION, ...(!loopback && { gate }) });
  mountOperator(server, { context, outbox, gate });
  const addresses = (): Addresses => ({
    apiUrl: place.url,
    rpcUrl: `${place.url}/rpc`,
    consoleUrl: `${place.url}/`,
  });
  if (loopback) {
    mountConsole(server, context, () => ({ ...addresses(), id: parts.id, chainId: side.chain.chainId }));
  }
  mountHealth(server, () => healthOf(parts, handlers, addresses()));
  await side.start();
  outbox.start();
  undo.push(() => server.close());
  await listenOn(server, records, { host: parts.host, port: options.port });
  if (place.url === '') place.url = addressOf(server, parts.host);
  return addresses();
}

/** The switches of a platform, each as given or as it is by default. */
function settingsOf(options: PlatformOptions, url: () => string): Settings {
  const { maxOrganisationWallets } = options;
  return {
    get publicUrl() {
      return url();
    },
    bcryptCost: options.bcryptCost ?? 10,
    allowRedeploy: options.allowRedeploy ?? true,
    listPartialDeployment: options.listPartialDeployment ?? true,
    statusWords: options.statusWords ?? {},
    ...(maxOrganisationWallets !== undefined && { maxOrganisationWallets }),
    cacheDir: options.cacheDir,
  };
}

function healthOf({ id, side }: ServeParts, handlers: Handlers, addresses: Addresses): JsonObject {
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
    max_execution_delay_ms: MAX_EXECUTION_DELAY,
  };
}

function addressOf(server: FastifyInstance, host: string): string {
  const { port } = server.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}
