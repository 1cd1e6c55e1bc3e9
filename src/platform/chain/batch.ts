import type { TransactionRow } from './ledger-tables.js';

/** What the order of sending is made of. */
export type Waiting = Pick<TransactionRow, 'id' | 'org' | 'sender' | 'group_id'>;

/** What goes into one block: `rows`, of which the first `rehearsed` belong to one deployment that needs a rehearsal. */
export interface Batch<Row> {
  readonly rows: readonly Row[];
  readonly rehearsed: number;
}

/** Transactions in one block: enough to carry a burst, few enough to keep a block under a second. */
export const BLOCK_SIZE = 400;

/**
 * Cuts the next block from the pending transactions, given in the order of sending. Organisations take turns, a
 * transaction at a time, so that a long queue of one is not in front of all others; what one organisation sends keeps its
 * order, and so does what one address sends, whoever asked for it. A group of several goes first in its block, so that
 * it can be rehearsed on the block before; what does not need that is taken as it comes.
 *
 * @param after organisation that began the block before; the next one begins this
 */
export function nextBatch<Row extends Waiting>(pending: readonly Row[], after = ''): Batch<Row> {
  const isMember = membership(pending);
  const queues = queuesFrom(pending, after);
  const turns = new Turns(pending);
  const lead = leadOf(queues, { isMember, turns });
  const lanes = queues.map((queue) => {
    const rest = queue[0] !== undefined && queue[0] === lead[0] ? queue.slice(lead.length) : queue;
    return rest.slice(
      0,
      lengthOfRun(rest, (row) => !isMember(row)),
    );
  });
  const rows = [...lead, ...interleaved(lanes)].filter((row) => turns.take(row));
  return { rows: rows.slice(0, BLOCK_SIZE), rehearsed: Math.min(lead.length, BLOCK_SIZE) };
}

/** Says of a row whether several of its group are waiting. */
function membership(pending: readonly Waiting[]): (row: Waiting | undefined) => boolean {
  const sizes = new Map<string, number>();
  for (const { group_id: group } of pending) {
    if (group !== null) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  }
  return (row) => (sizes.get(row?.group_id ?? '') ?? 0) > 1;
}

/** What each organisation sends, beginning with the first behind `after`. */
function queuesFrom<Row extends Waiting>(
  pending: readonly Row[],
  after: string,
): readonly (readonly Row[])[] {
  const queues = new Map<string, Row[]>();
  for (const row of pending) {
    const queue = queues.get(row.org);
    if (queue) queue.push(row);
    else queues.set(row.org, [row]);
  }
  const names = [...queues.keys()].sort();
  const first = names.findIndex((name) => name > after);
  const turned = first === -1 ? names : [...names.slice(first), ...names.slice(0, first)];
  return turned.map((name) => queues.get(name) ?? []);
}

/** The group that goes first: of the first organisation that has one in front, unless its address must wait. */
function leadOf<Row extends Waiting>(
  queues: readonly (readonly Row[])[],
  about: { readonly isMember: (row: Row | undefined) => boolean; readonly turns: Turns },
): readonly Row[] {
  for (const queue of queues) {
    const [first] = queue;
    if (first && about.isMember(first) && about.turns.isNext(first))
      return queue.slice(
        0,
        lengthOfRun(queue, (row) => row.group_id === first.group_id),
      );
  }
  return [];
}

/** One of each lane, then the next of each. */
function interleaved<Row>(lanes: readonly (readonly Row[])[]): readonly Row[] {
  const longest = Math.max(0, ...lanes.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lanes.flatMap((lane) => lane.slice(at, at + 1))).flat();
}

/** Whose turn it is among what one address sends: its nonces are in the order of sending. */
class Turns {
  readonly #waiting = new Map<string, number[]>();

  constructor(pending: readonly Waiting[]) {
    for (const { sender, id } of pending.toReversed()) {
      const ids = this.#waiting.get(sender);
      if (ids) ids.push(id);
      else this.#waiting.set(sender, [id]);
    }
  }

  isNext({ sender, id }: Waiting): boolean {
    return this.#waiting.get(sender)?.at(-1) === id;
  }

  /** Takes a row when it is its turn. */
  take(row: Waiting): boolean {
    const isNext = this.isNext(row);
    if (isNext) this.#waiting.get(row.sender)?.pop();
    return isNext;
  }
}

function lengthOfRun<T>(items: readonly T[], holds: (item: T) => boolean): number {
  const end = items.findIndex((item) => !holds(item));
  return end === -1 ? items.length : end;
}
