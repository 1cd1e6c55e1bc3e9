import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { callRules } from './admission/calls.js';
import { limitsOf, type Limits } from './admission/limits.js';
import { Quotas } from './admission/quotas.js';
import { Rates } from './admission/rates.js';
import { openChainSide } from './chain/chain-side.js';
import { createWallets, sealMissing } from './chain/custody.js';
import { DEVELOPMENT_MNEMONIC, seedOfMnemonic } from './chain/key-tree.js';
import { createPeople, sealPeople, type People } from './chain/people.js';
import { checkKek } from './chain/rotation.js';
import { createSigner, type Signer } from './chain/signer.js';
import { kekOf } from './chain/vault.js';
import type { Wallets } from './chain/wallets.js';
import { PlatformClock } from './clock.js';
import { Outbox } from './delivery/outbox.js';
import { isLoopback, type TargetRules } from './delivery/target.js';
import { openFaultLog } from './faults/fault-log.js';
import { Faults } from './faults/faults.js';
import { keptRules, ruleKeeper, type KeptRules } from './faults/kept-rules.js';
import type { PlatformOptions } from './options.js';
import type { ApiKey } from './server/access/keys.js';
import { logFailure, openLog } from './server/logs.js';
import { openTruth } from './server/truth.js';
import type { Undo } from './context.js';
import { serve } from './service.js';
import { savedClock } from './state/clock-setting.js';
import { openIdentity, type Identity } from './state/identity.js';
import { lockFolder } from './state/lock.js';
import { ownKek } from './state/own-kek.js';
import type { Records } from './state/records.js';
import { checkOwner, openStore } from './store.js';
import { FIRST_ORGANISATION, ownKeys, seedPlatform, type OwnKeys } from './state/seed.js';

export type { PlatformOptions } from './options.js';

/** A running platform. */
export interface Platform extends OwnKeys {
  /** Names the platform and its data: the same after a restart, whatever the port. */
  readonly id: string;
  /** Base address of the service, without a trailing slash. */
  readonly apiUrl: string;
  /** Where it listens, for this machine; the same as `apiUrl` unless that was given. */
  readonly localUrl: string;
  /** JSON-RPC address for independent clients. */
  readonly rpcUrl: string;
  readonly consoleUrl: string;
  /** An address that signs in to the console once, with the key of this client id; good for 15 minutes. */
  consoleLink(clientId: string): string;
  /** Where ground truth is told; undefined unless it was asked for. */
  readonly truthUrl: string | undefined;
  readonly chainId: number;
  /** Fault rules of the first organisation that are in force again from before this start. */
  readonly resumedFaults: number;
  /** Hash of the chain's first block. */
  readonly genesis: string;
  /** The development key; undefined when not on loopback. */
  readonly apiKey: ApiKey | undefined;
  /** Checksummed addresses of the first organisation's wallets: ten on loopback. */
  readonly wallets: readonly string[];
  /** Settles, with the reason, when nothing more can be written: chain or database is gone. Stop, and start anew. */
  readonly died: Promise<string>;
  /** Ends at a quiet point: requests answered, block recorded, chain saved. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded platform: a real compiler, a real chain, real callbacks. A data folder goes on where it stopped,
 * also after a crash.
 *
 * @throws Error named `FolderLocked`, with `pid`, when another platform uses the folder
 * @throws KekMismatch when keys and people are sealed with another key-encryption key
 * @throws ChainMismatch, OtherChain when records and chain disagree
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
  const loopback = isLoopback(host) && options.hosted !== true;
  const log = options.log && (await openLog(options.log));
  const failed = options.failed ?? ((cause) => (log ? logFailure(log, cause) : reportFailure(cause)));
  const { dataDir } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  undo.push(lockFolder(dataDir));
  const identity = openIdentity(dataDir, loopback);
  const records = await openStore({ dataDir, database: options.database });
  undo.push(() => records.close());
  await checkOwner(records, identity.id);
  const clock = new PlatformClock(options.now ?? Date.now, await savedClock(records));
  const { now } = clock;
  const faults = await openFaults(options, records, { now, loopback });
  undo.push(() => faults.close());
  const admission = openAdmission(options, loopback, now);
  const { limits, quotas, rates } = admission;
  const custody = { identity, loopback, quotas, now };
  const { wallets, people, signer } = await openCustody(records, options, custody);
  const apiKey = await seedPlatform(records, wallets, { identity, now: now() });
  const outbox = openOutbox(options, records, { loopback, clock, faults });
  undo.push(() => outbox.stop());
  const { rpcUrl, chainId = 31_337 } = options;
  const about = { rpcUrl, chainId, dataDir, funder: options.funder, fundDevelopmentAccounts: loopback };
  const doors = { records, wallets, signer, delivery: outbox, quotas };
  const side = await openChainSide({ ...about, ...doors, ...callRules(limits, rates), now, failed });
  undo.push(() => side.stop());
  const common = {
    options,
    host,
    loopback,
    ...admission,
    records,
    wallets,
    people,
    outbox,
    side,
    clock,
    faults,
    failed,
    log,
  };
  const served = await serve({ ...common, id: identity.id, developmentKey: apiKey }, undo);
  const truth = options.truth && (await openTruth(records, options.truth.port));
  undo.push(async () => truth?.close());
  return {
    id: identity.id,
    ...served,
    truthUrl: truth?.url,
    chainId: side.chain.chainId,
    resumedFaults: faults.resumed(FIRST_ORGANISATION),
    genesis: side.genesis,
    apiKey,
    wallets: await addressesOf(wallets, records),
    ...ownKeys(records, now),
    died: Promise.race([side.died.then(() => 'the embedded chain ended by itself'), records.lost]),
    stop,
  };
}

/** What the platform takes on, and what of it each organisation has used. */
function openAdmission(
  options: PlatformOptions,
  loopback: boolean,
  now: () => number,
): { readonly limits: Limits; readonly quotas: Quotas; readonly rates: Rates } {
  const limits = limitsOf(options.limits ?? {}, !loopback);
  return { limits, quotas: new Quotas(limits), rates: new Rates(limits.requestsPerMinute, now) };
}

async function addressesOf(wallets: Wallets, records: Records): Promise<readonly string[]> {
  const mine = await wallets.list(records, FIRST_ORGANISATION, 'organisation');
  return mine.map(({ address }) => address);
}

/** Callbacks on their way at a time where tenants share them; one whose receivers never answer has but a few of them. */
const SHARED_CALLBACKS = { total: 64, perOrganisation: 4 };

/** Who posts callbacks, and where to. */
function openOutbox(
  options: PlatformOptions,
  records: Records,
  about: { readonly loopback: boolean; readonly clock: PlatformClock; readonly faults: Faults },
): Outbox {
  const { loopback, clock, faults } = about;
  const redelivery = options.redelivery ?? 'until-acknowledged';
  const targets: TargetRules = { reach: loopback ? 'loopback' : 'public', ...options.callbackTargets };
  const shared = loopback ? {} : { inFlight: SHARED_CALLBACKS };
  return new Outbox(records, { redelivery, targets, clock, faults, ...shared });
}

/** Wallets, their people and their signer, with all on record sealed by the platform's key-encryption key. */
async function openCustody(
  records: Records,
  options: PlatformOptions,
  about: {
    readonly identity: Identity;
    readonly loopback: boolean;
    readonly quotas: Quotas;
    readonly now: () => number;
  },
): Promise<{ readonly wallets: Wallets; readonly people: People; readonly signer: Signer }> {
  const production = process.env['NODE_ENV'] === 'production' && !about.loopback;
  const kek = kekOf(options.kek ?? ownKek(options.dataDir, production));
  await checkKek(records, kek);
  const { quotas, now } = about;
  const custody = { kek, seed: seedOf(about.identity), quotas, now };
  await records.transact((writer) => sealMissing(writer, custody));
  await sealPeople(records, kek);
  return { wallets: createWallets(custody), people: createPeople(kek), signer: createSigner(kek) };
}

/**
 * What befalls requests and callbacks: as told at the start, else what was in force when the platform ended. Where
 * nobody can clear rules, none are put in force again.
 */
async function openFaults(
  { dataDir, faults: rules, replayedFaults, faultControls }: PlatformOptions,
  records: Records,
  { now, loopback }: { readonly now: () => number; readonly loopback: boolean },
): Promise<Faults> {
  const log = openFaultLog(join(dataDir, 'faults.jsonl'));
  const draw = (): number => randomInt(2 ** 32);
  const keeper = ruleKeeper(records);
  const faults = new Faults({ log, keeper, now, draw, operator: FIRST_ORGANISATION });
  const kept = (faultControls ?? loopback) ? await keptRules(records) : new Map<string, KeptRules>();
  const told = rules !== undefined || replayedFaults !== undefined;
  for (const [owner, its] of kept) if (!told || owner !== FIRST_ORGANISATION) faults.resume(owner, its);
  if (rules) faults.begin(FIRST_ORGANISATION, rules);
  if (replayedFaults) faults.rehearse(FIRST_ORGANISATION, replayedFaults);
  return faults;
}

function seedOf({ seed }: Identity): Uint8Array | undefined {
  return seed === 'development' ? seedOfMnemonic(DEVELOPMENT_MNEMONIC) : undefined;
}

function reportFailure(cause: unknown): void {
  process.stderr.write(
    `platform: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`,
  );
}
