/** Thrown when a person pressed Ctrl-C at a question: nothing went wrong, and nothing was done. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/** How a command learns that a person, or the system, wants it to end. */
export interface Interruption {
  /** Fires at the first Ctrl-C or SIGTERM while something is held: finish what is in flight, begin nothing. */
  readonly signal: AbortSignal;
  /** Asks for the chance to finish; gives the way to hand it back. While nobody holds, a signal ends the process at once. */
  hold(): () => void;
}
