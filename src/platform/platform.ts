import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../model/json.js';
import { openChainSide, type ChainSide } from './chain/chain-side.js';
import { createWallets, WALLET_TABLES } from './chain/custody.js';
import { DEVELOPMENT_MNEMONIC, seedOfMnemonic } from './chain/key-tree.js';
import { CHAIN_TABLES } from './chain/ledger-tables.js';
import type { Wallets } from './chain/wallets.js';
import { runQueue } from './compiler/queue.js';
import { CompilerThreads } from './compiler/threads.js';
import { CALLBACK_TABLES, Outbox } from './delivery/outbox.js';
import { isLoopback } from './delivery/target.js';
import { FILE_TABLES, openFiles } from './files/store.js';
import { compileJobs } from './handlers/contracts/compile-jobs.js';
import type { Context, Handlers } from './handlers/handler.js';
import { MODULES } from './handlers/modules.js';
import type { PlatformOptions } from './options.js';
import { mountConsole } from './server/console.js';
import { capabilitiesOf, mountHealth } from './server/health.js';
import { KEY_TABLES, type ApiKey } from './server/keys.js';
import { mountOperator } from './server/operator.js';
import { listenOn } from './server/port.js';
import { mountRpc } from './server/rpc-door.js';
import { buildServer } from './server/server.js';
import { openTruth } from './server/truth.js';
import { openIdentity, type Identity } from './state/identity.js';
import { lockFolder } from './state/lock.js';
import { openRecords, type Records, type TableGroup } from './state/records.js';
import { createApiKey, FIRST_ORGANISATION, seedPlatform } from './state/seed.js';

export type { PlatformOptions } from './options.js';

/** A running platform. */
export interface Platform {
  /** Names the platform and its data: the same after a restart, whatever the port. */
  readonly id: string;
  /** Base address of the service, without a trailing slash. */
  readonly apiUrl: string;
  /** JSON-RPC address for independent clients. */
  readonly rpcUrl: string;
  readonly consoleUrl: string;
  /** Where ground truth is told; undefined unless it was asked for. */
  readonly truthUrl: string | undefined;
  readonly chainId: number;
  /** Hash of the chain's first block. */
  readonly genesis: string;
  /** The development key; undefined when not on loopback. */
  readonly apiKey: ApiKey | undefined;
  /** Checksummed addresses of the first organisation's wallets: ten on loopback. */
  readonly wallets: readonly string[];
  /** Makes a key of the first organisation; the way in where there is no development key. */
  createKey(name: string): Promise<ApiKey>;
  /** Settles when the embedded chain ended by itself: nothing more can be written, so stop and start anew. */
  readonly died: Promise<void>;
  /** Ends at a quiet point: requests answered, block recorded, chain saved. Safe to call twice. */
  stop(): Promise<void>;
}

/** A request is executed at once or not at all; this bounds what may wait for the chain, in milliseconds. */
const MAX_EXECUTION_DELAY = 15_000;

/** Release of the interface that `GET /health` names. */
const VERSION = '1';

/**
 * Starts the embedded platform: a real compiler, a real chain, real callbacks. A data folder goes on where it stopped,
 * also after a crash.
 *
 * @throws Error named `FolderLocked`, with `pid`, when another platform uses the folder
 * @throws ChainMismatch when records and chain of the folder disagree
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const undo: Undo[] = [];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    return await start(options, undo, stop);
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function start(options: PlatformOptions, undo: Undo[], stop: () => Promise<void>): Promise<Platform> {
  const host = options.host ?? '127.0.0.1';
  const loopback = isLoopback(host);
  const now = options.now ?? Date.now;
  const failed = options.failed ?? reportFailure;
  const { dataDir } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  undo.push(lockFolder(dataDir));
  const identity = openIdentity(dataDir, loopback);
  const records = openRecords(join(dataDir, 'records.db'), tables());
  undo.push(() => records.close());
  const wallets = createWallets(seedOf(identity), now);
  const apiKey = await seedPlatform(records, wallets, { identity, now: now() });
  const redelivery = options.redelivery ?? 'until-acknowledged';
  const outbox = new Outbox(records, { redelivery, loopbackOnly: loopback, now });
  undo.push(() => outbox.stop());
  const { rpcUrl, chainId = 31_337 } = options;
  const about = { rpcUrl, chainId, dataDir, fundDevelopmentAccounts: loopback };
  const side = await openChainSide({ ...about, records, wallets, delivery: outbox, now, failed });
  undo.push(() => side.stop());
  const served = await serve(
    { options, host, loopback, records, wallets, outbox, side, now, failed, id: identity.id },
    undo,
  );
  const truth = options.truth && (await openTruth(records, options.truth.port));
  undo.push(async () => truth?.close());
  const mine = await wallets.list(records, FIRST_ORGANISATION, 'organisation');
  return {
    id: identity.id,
    ...served,
    truthUrl: truth?.url,
    chainId: side.chain.chainId,
    genesis: side.genesis,
    apiKey,
    wallets: mine.map((wallet) => wallet.address),
    createKey: (name) => createApiKey(records, { org: FIRST_ORGANISATION, name, now: now() }),
    died: side.died,
    stop,
  };
}

interface ServeParts {
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
async function serve(
  parts: ServeParts,
  undo: Undo[],
): Promise<Pick<Platform, 'apiUrl' | 'rpcUrl' | 'consoleUrl'>> {
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
    settings: {
      get publicUrl() {
        return place.url;
      },
      bcryptCost: options.bcryptCost ?? 10,
      allowRedeploy: options.allowRedeploy ?? true,
      ...(options.maxOrganisationWallets !== undefined && {
        maxOrganisationWallets: options.maxOrganisationWallets,
      }),
      cacheDir: options.cacheDir,
    },
  };
  const handlers = Object.fromEntries(
    MODULES.flatMap((module) => Object.entries(module.handlers)),
  ) as Handlers;
  for (const module of MODULES) module.start?.(context);
  const server = buildServer({ context, handlers, loopbackOnly: loopback, failed });
  mountRpc(server, context, { org: FIRST_ORGANISATION, withKey: !loopback });
  mountOperator(server, context, outbox);
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

type Addresses = Pick<Platform, 'apiUrl' | 'rpcUrl' | 'consoleUrl'>;

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

type Undo = () => Promise<void> | void;

function addressOf(server: FastifyInstance, host: string): string {
  const { port } = server.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

function seedOf({ seed }: Identity): Uint8Array {
  return seed === 'development' ? seedOfMnemonic(DEVELOPMENT_MNEMONIC) : seed;
}

function tables(): readonly TableGroup[] {
  const own = [CHAIN_TABLES, WALLET_TABLES, KEY_TABLES, CALLBACK_TABLES, FILE_TABLES];
  return [...own, ...MODULES.map((module) => module.tables)];
}

function reportFailure(cause: unknown): void {
  process.stderr.write(
    `platform: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`,
  );
}
