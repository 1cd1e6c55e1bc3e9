/** Whether a callback goes out until it is acknowledged, a single time, or four times with growing pauses. */
export type Redelivery = 'until-acknowledged' | 'once' | 'four-times';

/**
 * Pauses before each attempt in milliseconds; after the last one a callback is given up, unless it goes out until it is
 * acknowledged: then the last pause repeats. Four times is what the public service names.
 */
const SCHEDULES: Readonly<Record<Redelivery, readonly number[]>> = {
  'until-acknowledged': [0, 1000, 5000, 30_000, 60_000, 300_000, 600_000, 900_000],
  'four-times': [0, 300_000, 600_000, 900_000],
  once: [0],
};

/** How long an attempt is on its way at most, in milliseconds, where no other follows that would come later. */
const ON_ITS_WAY_MS = 60_000;

/**
 * What is next for a callback.
 *
 * @param attempts those that were made, the last one with `result`
 * @param result `200` acknowledges it
 * @returns its state, and the pause before the next attempt in milliseconds
 */
export function afterAttempt(
  redelivery: Redelivery,
  attempts: number,
  result: string,
): { readonly state: 'pending' | 'delivered' | 'given-up'; readonly pauseMs: number } {
  const pauses = SCHEDULES[redelivery];
  const again = redelivery === 'until-acknowledged' || attempts < pauses.length;
  const state = result === '200' ? 'delivered' : again ? 'pending' : 'given-up';
  return { state, pauseMs: pauses[Math.min(attempts, pauses.length - 1)] ?? 0 };
}

/** Milliseconds for which an attempt that was begun counts as being on its way. */
export function onItsWayMs(redelivery: Redelivery, attempts: number): number {
  return Math.max(ON_ITS_WAY_MS, SCHEDULES[redelivery][attempts + 1] ?? 0);
}
