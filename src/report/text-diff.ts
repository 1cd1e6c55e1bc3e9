/** One line of a difference; numbers count from 1 and are absent on the side that lacks the line. */
export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** Edits looked for before two texts count as wholly different: the search takes the square of it. */
const MOST_EDITS = 800;

/**
 * The line difference of two texts, with as few edits as there can be (E. Myers, 1986). Line ends and a missing last
 * one make no difference. Texts that differ in more than 800 places count as replaced as a whole.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const head = commonHead(old, fresh);
  const tail = commonTail(old, fresh, head);
  const middle = editsOf(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  const kinds = [...repeat('same', head), ...middle, ...repeat('same', tail)];
  return numbered(kinds, old, fresh);
}

/** The changed places with some unchanged lines around each; places that touch are one. */
export function hunksOf(lines: readonly DiffLine[], around = 3): readonly (readonly DiffLine[])[] {
  const hunks: DiffLine[][] = [];
  let end = -1;
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    const from = Math.max(0, index - around);
    const to = Math.min(lines.length, index + around + 1);
    const open = hunks.at(-1);
    if (open !== undefined && from <= end) open.push(...lines.slice(end, Math.max(end, to)));
    else hunks.push(lines.slice(from, to));
    end = Math.max(end, to);
  }
  return hunks;
}

/** `@@ -14,9 +14,10 @@`: where a hunk stands on either side, as `diff -u` writes it. */
export function hunkHead(hunk: readonly DiffLine[]): string {
  const range = (side: 'before' | 'after'): string => {
    const numbers = hunk.flatMap((line) => line[side] ?? []);
    return `${numbers[0] ?? 0},${numbers.length}`;
  };
  return `@@ -${range('before')} +${range('after')} @@`;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function commonHead(old: readonly string[], fresh: readonly string[]): number {
  const most = Math.min(old.length, fresh.length);
  let count = 0;
  while (count < most && old[count] === fresh[count]) count += 1;
  return count;
}

function commonTail(old: readonly string[], fresh: readonly string[], head: number): number {
  const most = Math.min(old.length, fresh.length) - head;
  let count = 0;
  while (count < most && old[old.length - 1 - count] === fresh[fresh.length - 1 - count]) count += 1;
  return count;
}

/** Edits in order. `trace[d]` holds, per diagonal, how far d edits reach. */
function editsOf(old: readonly string[], fresh: readonly string[]): readonly DiffLine['kind'][] {
  const trace: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= Math.min(MOST_EDITS, old.length + fresh.length); edits += 1) {
    const next = new Map(reach);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = startOn(reach, diagonal, edits);
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x < old.length || x - diagonal < fresh.length) continue;
      trace.push(reach);
      return backtrack(trace, old.length, fresh.length);
    }
    trace.push(reach);
    reach = next;
  }
  return [...repeat('gone', old.length), ...repeat('new', fresh.length)];
}

/** Where d edits begin on a diagonal: with a line more of the new text, or with one less of the old. */
function startOn(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const [below, above] = [reach.get(diagonal - 1) ?? -1, reach.get(diagonal + 1) ?? -1];
  return isAddition(reach, diagonal, edits) ? above : below + 1;
}

/** True when the last edit on a diagonal takes a line of the new text: that way reaches further. */
function isAddition(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  const [below, above] = [reach.get(diagonal - 1) ?? -1, reach.get(diagonal + 1) ?? -1];
  return diagonal === -edits || (diagonal !== edits && below < above);
}

function backtrack(
  trace: readonly ReadonlyMap<number, number>[],
  oldLength: number,
  freshLength: number,
): readonly DiffLine['kind'][] {
  const kinds: DiffLine['kind'][] = [];
  let [x, y] = [oldLength, freshLength];
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reach = trace[edits] ?? new Map<number, number>();
    const diagonal = x - y;
    const start = startOn(reach, diagonal, edits);
    while (x > start && y > 0 && x > 0) {
      kinds.push('same');
      x -= 1;
      y -= 1;
    }
    if (edits === 0) break;
    const added = isAddition(reach, diagonal, edits);
    kinds.push(added ? 'new' : 'gone');
    if (added) y -= 1;
    else x -= 1;
  }
  return kinds.reverse();
}

function numbered(
  kinds: readonly DiffLine['kind'][],
  old: readonly string[],
  fresh: readonly string[],
): readonly DiffLine[] {
  let [before, after] = [0, 0];
  return kinds.map((kind): DiffLine => {
    if (kind !== 'new') before += 1;
    if (kind !== 'gone') after += 1;
    const text = (kind === 'gone' ? old[before - 1] : fresh[after - 1]) ?? '';
    return { kind, text, ...(kind !== 'new' && { before }), ...(kind !== 'gone' && { after }) };
  });
}

function repeat(kind: DiffLine['kind'], count: number): readonly DiffLine['kind'][] {
  return Array.from({ length: count }, () => kind);
}
