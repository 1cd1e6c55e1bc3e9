/** A package or compiler could not be had, in words for the one who asked for it; without paths, addresses and secrets. */
export class FetchError extends Error {
  /** What was asked for, as it was asked for. */
  readonly spec: string;
  /**
   * Who must act. `refused`: a rule of Windlass or of its operator forbids it. `absent`: the registry does not have it.
   * `broken`: what the registry gave cannot be trusted. `unreachable`: the registry does not answer.
   */
  readonly kind: FetchFailure;
  /** The message without what was asked for. */
  readonly reason: string;

  constructor(spec: string, kind: FetchFailure, reason: string) {
    super(`${OPENING}${printable(spec)}: ${reason}`);
    this.name = 'FetchError';
    this.spec = spec;
    this.kind = kind;
    this.reason = reason;
  }
}

const OPENING = 'cannot fetch ';

/** True for the message of a {@link FetchError}, by which it is known once a version has failed with it. */
export function isFetchMessage(text: string): boolean {
  return text.startsWith(OPENING);
}

/** Why something could not be fetched. */
export type FetchFailure = 'refused' | 'absent' | 'broken' | 'unreachable';

/** The caller stopped before the fetch was done: nothing is known of what was asked for. */
export class FetchInterrupted extends Error {
  constructor() {
    super('the fetch was interrupted');
    this.name = 'FetchInterrupted';
  }
}

/** Names come from packages: one line, no control characters, no credentials of an address, never long. */
export function printable(text: string): string {
  const line = text.replaceAll(/\p{C}+/gu, ' ').replaceAll(/\/\/[^/@\s]*@/g, '//');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
