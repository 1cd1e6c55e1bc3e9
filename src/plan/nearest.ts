/** Longest name that is compared: telling how far two are apart takes the product of their lengths. */
const MAX_NAME = 200;

/** Most names that one is compared with. */
const MAX_NAMES = 1000;

/**
 * The name that was probably meant: equal but for case, or at most two edits away (one for short names).
 * Undefined when nothing is near. Very long names, and those beyond the first thousand, are not looked at. Of several, the first of the nearest.
 */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  if (written.length > MAX_NAME) return undefined;
  const limit = written.length < 5 ? 1 : Math.max(2, Math.floor(written.length / 4));
  let best: string | undefined;
  let bestDistance = limit + 1;
  let looked = 0;
  for (const name of names) {
    looked += 1;
    if (looked > MAX_NAMES) break;
    if (name.length > MAX_NAME) continue;
    const distance =
      name.toLowerCase() === written.toLowerCase() ? 0.5 : editDistance(written, name, bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** `Did you mean "x"?`, the short list of what exists, or nothing. */
export function suggestName(written: string, names: readonly string[]): string | undefined {
  const near = nearestName(written, names);
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (names.length === 0) return undefined;
  const shown = names.slice(0, 8).join(', ');
  return `Known here: ${shown}${names.length > 8 ? ', …' : ''}.`;
}

/** Optimal string alignment distance; gives up with `limit` as soon as it cannot stay below it. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, at(before, j - 2) + 1);
      }
      row.push(value);
    }
    if (Math.min(...row) >= limit) return limit;
    [before, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
