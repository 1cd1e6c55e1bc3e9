/** The turn that runs; undefined until somebody waits for its end. */
let ending: Promise<void> | undefined;

/**
 * Resolves at the end of this turn of the event loop. All who wait for it go on one after the other: the same work for many
 * steps takes a processor much less than all the work of one step after the other, which it has forgotten by the time that the
 * next one comes (a fifth of a run's time, `npm run bench:overhead`).
 */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
