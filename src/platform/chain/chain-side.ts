import { join } from 'node:path';
import type { Quotas } from '../admission/quotas.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Records } from '../state/records.js';
import { runDriver, type BlockDriver, type DriverLoop } from './block-driver.js';
import type { Chain } from './chain.js';
import { checkChain } from './chain-identity.js';
import { openEmbeddedChain, OWN_PATIENCE, type ReadUse } from './embedded.js';
import { createFollower } from './follower.js';
import { adoptNonces, openForeignChain } from './foreign.js';
import { openFunding } from './funding.js';
import { createLedger, type Fees } from './ledger.js';
import { createMiner } from './miner.js';
import { takePulse, type Pulse } from './pulse.js';
import { LOOKUPS_AT_A_TIME, TenantReads, type ReadRules } from './reads/tenant-reads.js';
import { chainOver, openRpc, type Rpc } from './rpc.js';
import type { Signer } from './signer.js';
import { Settlement } from './settlement.js';
import type { Transactions } from './transactions.js';
import type { Wallets } from './wallets.js';

/** The chain and the way onto it. */
export interface ChainSide {
  /** The chain as the platform itself reads it: nobody's requests are in the way. */
  readonly chain: Chain;
  /** The chain as an organisation reads it, within its rules and when it is its turn. */
  chainOf(org: string): Chain;
  /** Requests of tenants that run code on the node at present. */
  readsRunning(): number;
  readonly genesis: string;
  readonly fees: () => Fees;
  readonly transactions: Transactions;
  /** Settles when the embedded chain ended by itself; never with a foreign node. */
  readonly died: Promise<void>;
  /** False once `died` has settled. */
  alive(): boolean;
  /** Why nothing can be done on the chain at present, e.g. because its node is frozen; undefined when it answers. */
  fault(): Promise<string | undefined>;
  /** Lets a block tell the time, so that contracts see that the clock was moved. Nothing on a foreign node. */
  tellTime(): Promise<void>;
  /** Settles what a crash left open, then begins to send. Listeners must be registered before. */
  start(): Promise<void>;
  /** Goes on at once with what waits, for instance because there is room for it again. */
  wake(): void;
  /** The platform is about to end: a node of somebody else is not waited for longer than {@link LEAVE_MS} from now on. */
  leave(): void;
  stop(): Promise<void>;
}

/** What a chain side is made of. */
export interface ChainSideParts {
  readonly records: Records;
  readonly wallets: Wallets;
  readonly signer: Signer;
  readonly delivery: Delivery;
  readonly quotas: Quotas;
  readonly dataDir: string;
  /** Node to follow; undefined: the embedded chain. */
  readonly rpcUrl: string | undefined;
  readonly chainId: number;
  readonly fundDevelopmentAccounts: boolean;
  /** Who pays for gas on a foreign node, and how much a wallet holds at least, in wei. */
  readonly funder: { readonly key: Uint8Array; readonly floor: bigint } | undefined;
  /** What tenants may ask of the node at a time. */
  readonly reads: ReadRules;
  /** Told how long an organisation kept the node, in milliseconds. */
  readonly spent: (org: string, milliseconds: number) => void;
  readonly now: () => number;
  readonly failed: (cause: unknown) => void;
}

interface Node {
  readonly rpc: Rpc;
  /** Connections of their own for what tenants ask: what the platform sends never waits behind it. */
  readonly reads: Rpc;
  readonly chainId: number;
  readonly genesis: string;
  readonly fees: () => Fees;
  readonly mostGas: bigint | undefined;
  readonly died: Promise<void>;
  readonly pulse: Pulse;
  readonly driver: (parts: {
    readonly chain: Chain;
    readonly settlement: Settlement;
    readonly transactions: Transactions;
  }) => Promise<BlockDriver>;
  readonly before: () => Promise<void>;
  leave(): void;
  close(): Promise<void>;
}

/** What public nodes let a call use: a fraction of a second. */
const EMBEDDED_MOST_GAS = 50_000_000n;

/** Milliseconds that a node of somebody else gets to say that it is there. */
const FOREIGN_PATIENCE = 3000;

/**
 * Milliseconds that a foreign node gets to answer once the platform ends. What it did not answer stays on record as
 * pending, and is sent or looked for again by the next start.
 */
const LEAVE_MS = 8000;

/** Largest answer of the node to a tenant's request, in bytes: it is held in memory. */
const LARGEST_ANSWER = 32_000_000;

/** Milliseconds after which a node that does not answer a tenant's request is not waited for, its place being held until then. */
const READ_PATIENCE = 120_000;

/** Gas is free on the embedded chain, and a transaction may use all that the newest hard fork lets it. */
const EMBEDDED_FEES: Fees = { gasPrice: 0n, gasLimit: 16_000_000n };

/** Opens the chain and what leads onto it. @throws ChainMismatch, OtherChain when chain and records disagree */
export async function openChainSide(parts: ChainSideParts): Promise<ChainSide> {
  const { wallets, signer, delivery, quotas, now } = parts;
  const node =
    parts.rpcUrl === undefined ? await embeddedNode(parts) : await foreignNode(parts, parts.rpcUrl);
  const { chainId, fees } = node;
  const about = { chainId, rpcUrl: parts.rpcUrl ?? '', mostGas: node.mostGas };
  const chain = chainOver(node.rpc, about);
  const reads = new TenantReads({ rpc: node.reads, about, rules: parts.reads, spent: parts.spent });
  const settlement = new Settlement({ chainId, fees, signer, delivery, now });
  let loop: DriverLoop | undefined;
  let tellTime: BlockDriver['tellTime'];
  let alive = true;
  void node.died.then(() => (alive = false));
  const wake = (): void => loop?.wake();
  const transactions = createLedger({ chainId, fees, wallets, signer, settlement, quotas, now, wake });
  await checkChain(node.rpc, parts.records, node).catch(async (cause: unknown) => {
    await node.pulse.close();
    await reads.close();
    await node.close();
    throw cause;
  });
  return {
    chain,
    chainOf: (org) => reads.of(org),
    readsRunning: () => reads.running,
    genesis: node.genesis,
    fees,
    transactions,
    died: node.died,
    alive: () => alive,
    fault: async () => (alive ? node.pulse.fault() : 'the chain has ended'),
    tellTime: async () => {
      const told = tellTime?.();
      wake();
      await Promise.race([told, node.died]);
    },
    start: async () => {
      await node.before();
      const driver = await node.driver({ chain, settlement, transactions });
      await driver.recover();
      tellTime = driver.tellTime;
      const round: BlockDriver['round'] = () => reads.ownWork(() => driver.round());
      loop = runDriver({ ...driver, round }, parts.failed);
    },
    wake,
    leave: () => {
      node.leave();
      reads.leave(LEAVE_MS);
    },
    stop: async () => {
      node.leave();
      reads.leave(LEAVE_MS);
      await loop?.stop();
      await node.pulse.close();
      await reads.close();
      await node.close();
    },
  };
}

function readUse({ reads }: ChainSideParts): ReadUse {
  const connections = reads.heavyAtATime + LOOKUPS_AT_A_TIME;
  return { connections, largestAnswer: LARGEST_ANSWER, patience: READ_PATIENCE };
}

async function embeddedNode(parts: ChainSideParts): Promise<Node> {
  const { records, now, chainId, fundDevelopmentAccounts } = parts;
  const options = { chainId, fundDevelopmentAccounts, reads: readUse(parts) };
  const embedded = await openEmbeddedChain(join(parts.dataDir, 'chain'), records, options);
  const { rpc, genesis, died } = embedded;
  const mined = (number: number): Promise<void> => embedded.snapshot(number);
  return {
    rpc,
    reads: embedded.reads,
    chainId,
    genesis,
    died,
    pulse: takePulse(embedded.beside, chainId, OWN_PATIENCE),
    fees: () => EMBEDDED_FEES,
    mostGas: EMBEDDED_MOST_GAS,
    driver: async ({ chain, settlement }) => createMiner({ rpc, chain, records, settlement, now, mined }),
    before: async () => undefined,
    // Our own node is waited for: it records the block that it is at.
    leave: () => undefined,
    close: () => embedded.close(),
  };
}

async function foreignNode(parts: ChainSideParts, rpcUrl: string): Promise<Node> {
  const { records, wallets, now, failed } = parts;
  const foreign = await openForeignChain(rpcUrl);
  const { rpc, chainId, genesis, fees } = foreign;
  return {
    rpc,
    reads: openRpc(rpcUrl, READ_PATIENCE, readUse(parts)),
    chainId,
    genesis,
    fees,
    mostGas: undefined,
    died: new Promise(() => undefined),
    pulse: takePulse(openRpc(rpcUrl, FOREIGN_PATIENCE), chainId, FOREIGN_PATIENCE),
    driver: async ({ chain, settlement, transactions }) => {
      const funding =
        parts.funder &&
        (await openFunding({ ...parts.funder, rpc, records, wallets, transactions, fees, failed }));
      return createFollower({ rpc, chain, records, settlement, now, ...(funding && { funding }) });
    },
    before: async () => {
      const rows = await records.all<{ address: string }>('SELECT address FROM wallets');
      await adoptNonces(
        rpc,
        records,
        rows.map(({ address }) => address),
      );
    },
    leave: () => {
      rpc.leave(LEAVE_MS);
    },
    close: () => foreign.close(),
  };
}
