import { setMaxListeners } from 'node:events';
import type { Clock } from '../execute/ports.js';

/** The time of this machine. */
export const SYSTEM_CLOCK: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      // One listener per sleeper, and as many sleepers as steps in flight: no leak.
      if (signal) setMaxListeners(0, signal);
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener('abort', wake, { once: true });
    }),
};
