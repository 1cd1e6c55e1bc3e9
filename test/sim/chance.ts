import { FAULTS, type Draw, type Stream } from './decisions.js';

/** A source of numbers in [0, 1), the same for the same seed. */
export function chanceOf(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of the items. */
export function pick<T>(chance: () => number, items: readonly T[]): T {
  return items[Math.floor(chance() * items.length)]!;
}

/** How often faults strike, on average over a stream's boundaries. */
const RATES: Readonly<Record<Stream, readonly number[]>> = {
  disk: [0.002, 0.008, 0.03],
  rest: [0.8],
  names: [0.8],
  write: [0.1, 0.25, 0.5],
  read: [0.003, 0.02, 0.05],
  index: [0.3],
  callback: [0.1, 0.3, 0.6],
  forge: [0.1, 0.4],
  process: [0.2, 0.4],
  twin: [0.05, 0.3],
  neighbour: [0.1, 0.4],
  chain: [0.02, 0.1],
};

/** A swarm: each seed has some kinds of faults and not others, and its own rates, so that rare mixtures come up. */
export function swarm(chance: () => number): Draw {
  const enabled = new Map<Stream, ReadonlySet<string>>();
  const rates = new Map<Stream, number>();
  for (const stream of Object.keys(FAULTS) as Stream[]) {
    const share = pick(chance, [0.25, 0.5, 0.9]);
    const names: readonly string[] = FAULTS[stream];
    enabled.set(stream, new Set(names.slice(1).filter(() => chance() < share)));
    rates.set(stream, chance() < 0.25 ? 0 : pick(chance, RATES[stream]));
  }
  for (const stream of ['rest', 'names'] as const) {
    enabled.set(stream, new Set(FAULTS[stream]));
    rates.set(stream, 0.8);
  }
  return (stream, allowed) => {
    if (chance() >= (rates.get(stream) ?? 0)) return undefined;
    const possible = allowed.filter((name) => enabled.get(stream)?.has(name) === true);
    return possible.length === 0 ? undefined : pick(chance, possible);
  };
}
