const WIDE =
  /[\u1100-\u115F\u231A\u231B\u2329\u232A\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{1F1E6}-\u{1F1FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;
const MARKS_ONLY = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[\x20-\x7E]*$/;

let segmenter: Intl.Segmenter | undefined;

/** What a reader sees as one character each. The segmenter takes 20 ms to make, and most texts are ASCII. */
function graphemesOf(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** Terminal cells of text without control characters: 2 for East Asian wide characters and emoji, 0 for marks. */
export function cellsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let cells = 0;
  for (const piece of piecesOf(text))
    for (const segment of graphemesOf(piece)) cells += cellsOfGrapheme(segment);
  return cells;
}

/**
 * A long text piece by piece: each segment that the segmenter gives holds a copy of the whole, so that 50,000 characters at
 * once take gigabytes. A character that is parted here may count as two.
 */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE);
}

const PIECE = 512;

/** The text filled up with blanks to a number of cells; longer text is left as it is. */
export function padCells(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellsOf(text)));
}

/** As much of the text as fits into a number of cells; `…` shows the cut. */
export function fitCells(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  if (ASCII.test(text)) return cells < 1 ? '' : `${text.slice(0, cells - 1)}…`;
  let kept = '';
  let used = 0;
  for (const segment of segmentsOf(piecesOf(text))) {
    used += cellsOfGrapheme(segment);
    if (used > cells - 1) break;
    kept += segment;
  }
  return cells < 1 ? '' : `${kept}…`;
}

/** The end of the text, as much as fits; `…` shows the cut before it. */
export function fitCellsEnd(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  if (ASCII.test(text)) return `…${text.slice(text.length - Math.max(0, cells - 1))}`;
  const kept: string[] = [];
  let used = 1;
  for (const segment of segmentsOf([...piecesOf(text)].toReversed(), true)) {
    used += cellsOfGrapheme(segment);
    if (used > cells) break;
    kept.push(segment);
  }
  return `…${kept.toReversed().join('')}`;
}

function* segmentsOf(pieces: Iterable<string>, fromEnd = false): Generator<string> {
  for (const piece of pieces) yield* fromEnd ? graphemesOf(piece).toReversed() : graphemesOf(piece);
}

function cellsOfGrapheme(segment: string): number {
  if (MARKS_ONLY.test(segment)) return 0;
  return WIDE.test(segment) ? 2 : 1;
}
