/** How much is done at a time. */
export interface TurnRules {
  /** Tasks at a time, all owners together. */
  readonly atATime: number;
  /** Tasks of one owner at a time. */
  readonly perOwner: number;
  /** Tasks of one owner that may wait; more are refused. */
  readonly waiting: number;
}

/** Why a task was not begun: its owner has too many that wait, or it waited too long. */
export class NoTurn extends Error {
  readonly reason: 'crowded' | 'late';

  constructor(reason: 'crowded' | 'late') {
    super(reason === 'crowded' ? 'too many are waiting' : 'it waited too long');
    this.name = 'NoTurn';
    this.reason = reason;
  }
}

/** Owners whose last turn is remembered. */
const REMEMBERED = 1000;

interface Task {
  begin(): void;
}

/**
 * Lets a bounded number of tasks run at a time. Owners take turns, one task each, so that whoever asks for much waits
 * behind himself and nobody else does.
 */
export class Turns {
  readonly #rules: TurnRules;
  readonly #mayBegin: () => boolean;
  /** What waits, by owner. */
  readonly #queues = new Map<string, Set<Task>>();
  /** When owners had their last turn, counted in turns. */
  readonly #turns = new Map<string, number>();
  #count = 0;
  readonly #running = new Map<string, number>();
  #total = 0;

  /** @param mayBegin false while nothing new is to begin; call {@link advance} when that has changed */
  constructor(rules: TurnRules, mayBegin: () => boolean = () => true) {
    this.#rules = rules;
    this.#mayBegin = mayBegin;
  }

  /** Tasks that run. */
  get running(): number {
    return this.#total;
  }

  /**
   * Runs a task when it is its owner's turn.
   *
   * @param patience how long it may wait for that, in milliseconds
   * @throws NoTurn when it was not begun; what the task throws
   */
  async run<T>(owner: string, patience: number, task: () => Promise<T>): Promise<T> {
    await this.#turn(owner, patience);
    try {
      return await task();
    } finally {
      this.#end(owner);
    }
  }

  /** Begins whatever may begin now. */
  advance(): void {
    while (this.#total < this.#rules.atATime && this.#mayBegin()) {
      const owner = this.#next();
      const queue = owner === undefined ? undefined : this.#queues.get(owner);
      const [task] = queue ?? [];
      if (owner === undefined || queue === undefined || task === undefined) return;
      queue.delete(task);
      if (queue.size === 0) this.#queues.delete(owner);
      this.#begin(owner);
      task.begin();
    }
  }

  /** The owner whose last turn is longest ago, of those that have a place left. */
  #next(): string | undefined {
    const lastTurn = (owner: string): number => this.#turns.get(owner) ?? 0;
    let first: string | undefined;
    for (const owner of this.#queues.keys()) {
      const isFree = this.#has(owner) < this.#rules.perOwner;
      if (isFree && (first === undefined || lastTurn(owner) < lastTurn(first))) first = owner;
    }
    return first;
  }

  #turn(owner: string, patience: number): Promise<void> {
    const queue = this.#queues.get(owner) ?? new Set<Task>();
    if (queue.size >= this.#rules.waiting) return Promise.reject(new NoTurn('crowded'));
    return new Promise((resolve, reject) => {
      const task: Task = {
        begin: () => {
          clearTimeout(late);
          resolve();
        },
      };
      const late = setTimeout(() => {
        queue.delete(task);
        if (queue.size === 0 && this.#queues.get(owner) === queue) this.#queues.delete(owner);
        reject(new NoTurn('late'));
      }, patience);
      queue.add(task);
      this.#queues.set(owner, queue);
      this.advance();
    });
  }

  #has(owner: string): number {
    return this.#running.get(owner) ?? 0;
  }

  #begin(owner: string): void {
    if (this.#turns.size >= REMEMBERED) this.#turns.clear();
    this.#turns.set(owner, (this.#count += 1));
    this.#total += 1;
    this.#running.set(owner, this.#has(owner) + 1);
  }

  #end(owner: string): void {
    this.#total -= 1;
    const left = this.#has(owner) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    this.advance();
  }
}
