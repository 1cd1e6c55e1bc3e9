/** The oldest waiting job of a lane. */
export interface Head {
  readonly lane: string;
  readonly place: number;
}

/** Who had the last turns, so that lanes take turns however much waits in one of them. */
export class TurnBook {
  readonly #perLane: number;
  /** Newest last. */
  readonly #lanes = new Set<string>();

  /** @param perLane jobs of one lane that may be at work */
  constructor(perLane: number) {
    this.#perLane = perLane;
  }

  /** Notes that a lane has its turn. */
  note(lane: string): void {
    this.#lanes.delete(lane);
    this.#lanes.add(lane);
  }

  /**
   * Whose turn it is: of the lanes that may have more at work, the one with the fewest; of equal ones the one whose last
   * turn is longest ago; then the older job. Lanes that have nothing waiting and nothing at work are forgotten.
   *
   * @param working lane of each job at work
   */
  next(heads: readonly Head[], working: readonly string[]): Head | undefined {
    const known = new Set([...working, ...heads.map(({ lane }) => lane)]);
    for (const lane of this.#lanes) if (!known.has(lane)) this.#lanes.delete(lane);
    const turns = [...this.#lanes];
    return heads
      .map((head) => {
        const running = working.filter((lane) => lane === head.lane).length;
        return { head, running, turn: turns.indexOf(head.lane) };
      })
      .filter(({ running }) => running < this.#perLane)
      .sort((a, b) => a.running - b.running || a.turn - b.turn || a.head.place - b.head.place)[0]?.head;
  }
}

/** Runs what belongs to a lane with the end of what was run before it there; forgets lanes that are empty. */
export function lanes(): (lane: string, run: (before: Promise<void>) => Promise<void>) => void {
  const last = new Map<string, Promise<void>>();
  return (lane, run) => {
    const ended = run(last.get(lane) ?? Promise.resolve());
    last.set(lane, ended);
    void ended.then(() => last.get(lane) === ended && last.delete(lane));
  };
}
