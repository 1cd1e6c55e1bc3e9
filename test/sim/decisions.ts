/** Every fault by the boundary at which it can strike; the first of each is no fault. Positions are part of saved schedules: only append. */
export const FAULTS = {
  disk: ['none', 'kill', 'kill-after', 'power', 'power-after', 'enospc', 'eio', 'short', 'torn-kill'],
  /** What a power loss leaves of bytes that were not synced, by eighths; `newline`: all but the last byte. */
  rest: ['nothing', 'all', 'newline', 'some-1', 'some-3', 'some-5', 'some-7'],
  /** How many unsynced names of a folder a power loss leaves, oldest first. */
  names: ['nothing', 'all', 'one', 'two'],
  write: [
    'none',
    'refused',
    'lost',
    'unanswered',
    'late',
    'overdue',
    'error-before',
    'error-after',
    'limited',
    'redirected',
    'redirected-after',
    'cut',
    'rejected',
    'unnamed',
    'reverted',
    'conflict-after',
    'failure-in-200',
    'slow-answer',
    'kill',
    'kill-after',
    'power-after',
    'platform-restart',
    'repeated',
    'repeated-answered-last',
    'repeated-limited',
    'repeated-refused',
    'astray',
    'astray-instead',
    'astray-late',
    'gateway-refused',
    'gateway-limited',
    'gateway-keeps',
  ],
  read: ['none', 'unreadable', 'unreachable', 'kill', 'html', 'foreign', 'stale'],
  index: ['none', 'short', 'long'],
  callback: ['none', 'lost', 'twice', 'late', 'very-late', 'early', 'misdelivered', 'garbled'],
  forge: ['none', 'success', 'success-later', 'failure', 'failure-later', 'failure-hashed', 'stranger'],
  process: [
    'none',
    'stop',
    'second-engine',
    'wrong-target',
    'frozen',
    'clock-ahead',
    'clock-far-ahead',
    'clock-put-back',
    'unsigned',
  ],
  /** Somebody else does the same by hand at the same time. */
  twin: ['none', 'same'],
  /** Somebody else deploys the same version at the same time: with a wallet of theirs, or with the very same one. */
  neighbour: ['none', 'other-wallet', 'same-wallet'],
  /** The chain makes no blocks for a while, though the service takes requests on. */
  chain: ['none', 'stalled'],
} as const;

/** A kind of boundary. */
export type Stream = keyof typeof FAULTS;

/** A fault of a stream, by name. */
export type Fault<S extends Stream> = (typeof FAULTS)[S][number];

/** One decision that is not the default: at the n-th boundary (from 0) of a stream, this fault. */
export interface Decision {
  readonly stream: Stream;
  readonly index: number;
  readonly value: number;
}

/** Draws a decision for a boundary that no explicit one is for; undefined: no fault. */
export type Draw = (stream: Stream, allowed: readonly string[]) => string | undefined;

/**
 * The fault schedule of one run: explicit decisions, taken one by one at each boundary, default none. Whatever a
 * source of chance adds is kept as well, so that any run can be repeated from its decisions alone.
 */
export class Decisions {
  /** Every decision taken that was not the default. */
  readonly taken: Decision[] = [];
  /** False once faults are over: every boundary is sound from then on. */
  faulty = true;
  /** By stream, then by index. */
  readonly #explicit = new Map<Stream, Map<number, number>>();
  readonly #draw: Draw;
  readonly #counts = new Map<Stream, number>();

  constructor(explicit: readonly Decision[], draw: Draw = () => undefined) {
    for (const { stream, index, value } of explicit) {
      const known = this.#explicit.get(stream);
      if (known === undefined) this.#explicit.set(stream, new Map([[index, value]]));
      else known.set(index, value);
    }
    this.#draw = draw;
  }

  /** Boundaries passed so far in a stream. */
  count(stream: Stream): number {
    return this.#counts.get(stream) ?? 0;
  }

  /** The fault for the next boundary of a stream. @param allowed those that make sense there */
  next<S extends Stream>(stream: S, allowed: readonly Fault<S>[] = FAULTS[stream]): Fault<S> {
    const names: readonly string[] = FAULTS[stream];
    const [none] = names as readonly Fault<S>[];
    if (!this.faulty) return none!;
    const index = this.count(stream);
    this.#counts.set(stream, index + 1);
    const explicit = this.#explicit.get(stream)?.get(index);
    const drawn = explicit === undefined ? this.#draw(stream, allowed) : names[explicit % names.length];
    if (drawn === undefined || drawn === none) return none!;
    const fault = allowed.find((name) => name === drawn);
    if (fault === undefined) return none!;
    this.taken.push({ stream, index, value: names.indexOf(fault) });
    return fault;
  }
}

/** Decisions as a person reads and repeats them: `disk:12=kill write:0=lost`. */
export function formatDecisions(decisions: readonly Decision[]): string {
  return decisions
    .map(({ stream, index, value }) => `${stream}:${index}=${FAULTS[stream][value % FAULTS[stream].length]}`)
    .join(' ');
}

/** The inverse of {@link formatDecisions}. @throws for what is none */
export function parseDecisions(text: string): readonly Decision[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      const [, stream = '', index, name = ''] = /^([a-z]+):(\d+)=([a-z0-9-]+)$/.exec(word) ?? [];
      if (!(stream in FAULTS)) throw new Error(`${word} is not a decision`);
      const names: readonly string[] = FAULTS[stream as Stream];
      if (!names.includes(name)) throw new Error(`${word} names no fault`);
      return { stream: stream as Stream, index: Number(index), value: names.indexOf(name) };
    });
}
