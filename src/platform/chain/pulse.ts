import { setTimeout as pause } from 'node:timers/promises';
import { quantity } from './receipts.js';
import type { Rpc } from './rpc.js';

/** Whether a node answers, as of a moment ago. */
export interface Pulse {
  /**
   * Why nothing can be done with the node now; undefined when it answers. Known within the patience, and without the
   * node's address, which may be secret.
   */
  fault(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** How long an answer about a node holds, in milliseconds: health checks come from several sides. */
const FRESH = 1000;

/**
 * Watches a node over a connection of its own, which it closes in the end, so that whatever waits for a frozen node elsewhere is not waited for
 * here. The node is asked only when somebody wants to know.
 *
 * @param patience how long it gets for its answer, in milliseconds
 */
export function takePulse(rpc: Rpc, chainId: number, patience: number): Pulse {
  const silence = 'the node of the chain does not answer';
  const ask = async (): Promise<string | undefined> => {
    const answered = rpc.request('eth_chainId', []).then(
      (id) => (quantity(id) === chainId ? undefined : 'the node is of another chain by now'),
      () => silence,
    );
    return Promise.race([answered, pause(patience, silence, { ref: false })]);
  };
  let asked = -Infinity;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  return {
    fault: () => {
      if (performance.now() - asked > FRESH) {
        asked = Infinity;
        answer = ask().finally(() => {
          asked = performance.now();
        });
      }
      return answer;
    },
    close: () => rpc.close(),
  };
}
