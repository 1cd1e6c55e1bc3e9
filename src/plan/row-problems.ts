import type { BatchRows } from './batch-rows.js';
import type { Problem, Problems } from './problems.js';
import type { AuthoredText } from './text.js';

type RowProblem = Omit<Problem, 'at'>;

interface Found {
  readonly row: number;
  readonly problem: RowProblem;
}

/** Rows that are told one by one; what is wrong in more of them is counted at the text that all share. */
const MOST_ROWS = 10;

/** Rows that are named beside a count. */
const EXAMPLES = 3;

/**
 * Mistakes that rows make through the texts they share, e.g. `image: images/{{id}}.png`. A mistake of most rows is one of the
 * text: it is told once, there, with how many rows it concerns and the first of them.
 */
export class RowProblems {
  readonly #rows: BatchRows;
  readonly #found = new Map<AuthoredText, Map<string, Found[]>>();

  constructor(rows: BatchRows) {
    this.#rows = rows;
  }

  /** Notes a mistake of one row. @param text what the author wrote for all rows */
  add(text: AuthoredText, row: number, problem: RowProblem): void {
    const causes = this.#found.get(text) ?? new Map<string, Found[]>();
    const found = causes.get(problem.code) ?? [];
    found.push({ row, problem });
    this.#found.set(text, causes.set(problem.code, found));
  }

  /** Reports what was noted. */
  report(problems: Problems): void {
    for (const [text, causes] of this.#found)
      for (const found of causes.values()) this.#reportCause(text, found, problems);
  }

  #reportCause(text: AuthoredText, found: readonly Found[], problems: Problems): void {
    const [first] = found;
    if (first === undefined) return;
    const at = text.node.span;
    const column = columnOf(text);
    if (column === undefined) return problems.report({ ...first.problem, at });
    const ofMost = found.length > 1 && found.length * 2 > this.#rows.rows.length;
    const told = ofMost ? [] : found.slice(0, MOST_ROWS);
    for (const { row, problem } of told) {
      const range = this.#rows.rangeOf(row, this.#rows.columns.indexOf(column));
      problems.reportIn(this.#rows.path, range, problem);
    }
    if (told.length === found.length) return;
    const message = `${first.problem.message} The same goes for ${this.#countText(found)}.`;
    problems.report({ ...first.problem, message, at });
  }

  #countText(found: readonly Found[]): string {
    const { path, rows, rangeOf } = this.#rows;
    const lines = found.slice(0, EXAMPLES).map(({ row }) => String(rangeOf(row, undefined).start.line));
    const more = found.length > EXAMPLES ? ', …' : '';
    return `${found.length} of ${rows.length} rows: ${path}, lines ${lines.join(', ')}${more}`;
  }
}

/** The first column that a text takes a cell from. */
function columnOf({ parts }: AuthoredText): string | undefined {
  for (const part of parts) if (typeof part === 'object' && 'column' in part) return part.column;
  return undefined;
}
