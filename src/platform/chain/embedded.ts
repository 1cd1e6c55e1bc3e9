import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { textMember } from '../../model/json.js';
import type { Records } from '../state/records.js';
import { startAnvil, type Anvil } from './node/anvil.js';
import { openIpc } from './node/ipc.js';
import { ChainMismatch, replay, type Replayed } from './restore.js';
import type { Rpc } from './rpc.js';
import { listSnapshots, saveSnapshot } from './snapshots.js';

/** A node ready for the miner, at the end of the block log. */
export interface EmbeddedChain {
  readonly rpc: Rpc;
  /** A connection of its own to the node, for asking whether it answers. */
  readonly beside: Rpc;
  /** Connections of their own for what tenants ask. */
  readonly reads: Rpc;
  /** Hash of the first block. */
  readonly genesis: string;
  /** Settles when the node ended by itself. */
  readonly died: Promise<void>;
  /** Saves the state after block `number` every few hundred blocks. */
  snapshot(number: number): Promise<void>;
  /** Saves the state and ends the node. */
  close(): Promise<void>;
}

/** How the connections for tenants' questions are used. */
export interface ReadUse {
  readonly connections: number;
  /** Largest answer, in bytes. */
  readonly largestAnswer: number;
  /** How long an answer may take, in milliseconds. */
  readonly patience: number;
}

const READS: ReadUse = { connections: 4, largestAnswer: 32_000_000, patience: 60_000 };

/** Blocks between two snapshots: replaying as many takes about a second. */
const SNAPSHOT_EVERY = 500;

/** Blocks whose replay takes longer than saving the state behind them. */
const WORTH_SAVING = 20;

/** Milliseconds that our own node gets for an answer: its end ends the connection, so waiting is for busy machines. */
const PATIENCE = 600_000;

/** Milliseconds that it gets to say that it is there: our own shares the machine with us. */
export const OWN_PATIENCE = 10_000;

/**
 * Starts the embedded chain where it stopped: newest usable snapshot, then the rest of the block log.
 *
 * @param folder of the chain, made when missing
 * @throws ChainMismatch when chain and block log disagree whichever snapshot is used
 */
export async function openEmbeddedChain(
  folder: string,
  records: Records,
  options: {
    readonly chainId: number;
    readonly fundDevelopmentAccounts: boolean;
    /** For one developer by default. */
    readonly reads?: ReadUse;
  },
): Promise<EmbeddedChain> {
  await mkdir(join(folder, 'cache'), { recursive: true });
  const cacheDir = join(folder, 'cache');
  const last = await records.first<{ number: number }>(
    'SELECT number FROM blocks WHERE hash IS NOT NULL ORDER BY number DESC LIMIT 1',
  );
  const snapshots = (await listSnapshots(folder)).filter(({ number }) => number <= (last?.number ?? 0));
  const starts = [...snapshots.map(({ path }) => ({ statePath: path })), {}];
  let failure: unknown;
  for (const start of starts) {
    try {
      const anvil = await startAnvil({ ...options, ...start, cacheDir });
      try {
        return await fill(anvil, { folder, records, use: options.reads ?? READS });
      } catch (cause) {
        await anvil.kill();
        throw cause;
      }
    } catch (cause) {
      // A damaged snapshot costs time, not truth: an older one, or the whole log, gives the same chain.
      failure = cause;
      if (cause instanceof ChainMismatch && !('statePath' in start)) break;
    }
  }
  throw failure;
}

/** Connects to a node, so that nobody else can from then on, and replays the block log on it. */
async function fill(
  anvil: Anvil,
  about: {
    readonly folder: string;
    readonly records: Records;
    readonly use: ReadUse;
  },
): Promise<EmbeddedChain> {
  const { folder, records, use } = about;
  const rpc = await openIpc(anvil.socket, PATIENCE);
  const beside = await openIpc(anvil.socket, OWN_PATIENCE, 1);
  const reads = await openIpc(anvil.socket, use.patience, use.connections, use.largestAnswer);
  anvil.seal();
  // Nobody reads what it prints of every transaction, and reading that away costs this process.
  await rpc.request('anvil_setLoggingEnabled', [false]);
  return ready(anvil, { rpc, beside, reads, folder, replayed: await replay(rpc, records) });
}

interface Filled {
  readonly rpc: Rpc;
  readonly beside: Rpc;
  readonly reads: Rpc;
  readonly folder: string;
  readonly replayed: Replayed;
}

async function ready(anvil: Anvil, filled: Filled): Promise<EmbeddedChain> {
  const { rpc, beside, reads, folder, replayed } = filled;
  const genesis = textMember(await rpc.request('eth_getBlockByNumber', ['0x0', false]), 'hash') ?? '';
  const { count, last } = replayed;
  let saved = last - count;
  let newest = last;
  // A platform that is killed again and again replays what is new since the last time, not everything each time.
  if (count >= WORTH_SAVING) {
    await saveSnapshot(rpc, folder, last).then(
      () => (saved = last),
      () => undefined,
    );
  }
  return {
    rpc,
    beside,
    reads,
    genesis,
    died: anvil.exited,
    snapshot: async (number) => {
      newest = number;
      if (number - saved < SNAPSHOT_EVERY) return;
      saved = number;
      // It saves time, not truth: where the disk is full the block log has all that there is.
      await saveSnapshot(rpc, folder, number).catch(() => undefined);
    },
    close: async () => {
      if (newest > saved) await saveSnapshot(rpc, folder, newest).catch(() => undefined);
      await rpc.close();
      await anvil.kill();
    },
  };
}
