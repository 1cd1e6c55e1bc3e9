import { setTimeout } from 'node:timers/promises';

/**
 * How pending transactions reach a chain and come back settled. The embedded chain is driven (we mine); a foreign
 * node is followed (we send and look).
 */
export interface BlockDriver {
  /** Once, before the first round: settles what a crash left between sending and recording. */
  recover(): Promise<void>;
  /** Settles when a block tells the time as it is now; absent where the chain has its own time. */
  readonly tellTime?: () => Promise<void>;
  /** One round. `busy`: call again at once; `waiting`: again after a pause; `idle`: when there is something new. */
  round(): Promise<'busy' | 'waiting' | 'idle'>;
}

/** A running driver. */
export interface DriverLoop {
  /** There is something new. */
  wake(): void;
  /** Ends after the round under way. */
  stop(): Promise<void>;
}

/** Pause of a `waiting` driver, and after a failed round (which doubles up to 30 s), in milliseconds. */
const PAUSE = 500;

/**
 * Pause after a busy round in milliseconds. A stream of writes then shares blocks, and the synced commits that each
 * block costs; a write that waited for the one before it comes later than this anyway.
 */
const GATHERING = 5;

/**
 * Calls the driver's rounds one after another. A failed round changes nothing that is not recorded, so it is
 * repeated after a pause.
 *
 * @param failed told of every failed round
 */
export function runDriver(driver: BlockDriver, failed: (cause: unknown) => void): DriverLoop {
  const turn = { stopping: false, fresh: true, wakeUp: (): void => undefined };
  const sleep = (milliseconds?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : globalThis.setTimeout(resolve, milliseconds);
      turn.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const loop = async (): Promise<void> => {
    let failures = 0;
    while (!turn.stopping) {
      turn.fresh = false;
      const state = await driver.round().catch((cause: unknown) => {
        failed(cause);
        return 'failed' as const;
      });
      failures = state === 'failed' ? failures + 1 : 0;
      if (state === 'busy') await setTimeout(GATHERING);
      else if (state === 'failed') await sleep(Math.min(PAUSE * 2 ** failures, 30_000));
      else if (!turn.fresh) await sleep(state === 'waiting' ? PAUSE : undefined);
    }
  };
  const done = loop();
  const wake = (): void => {
    turn.fresh = true;
    turn.wakeUp();
  };
  return {
    wake,
    stop: async () => {
      turn.stopping = true;
      wake();
      await done;
    },
  };
}
