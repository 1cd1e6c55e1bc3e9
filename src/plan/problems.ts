import { sortDiagnostics, type Diagnostic, type Position, type Range } from '../model/diagnostic.js';
import type { ErrorCode } from '../model/error-codes.js';
import type { Span } from './node.js';

/** A mistake by its offsets; the file is the plan's unless another is named. */
export interface Problem {
  readonly code: ErrorCode;
  readonly at: Span;
  readonly message: string;
  readonly fix?: string;
  readonly severity?: 'error' | 'warning';
}

/** Where the readers of a plan put what they find; reading goes on after each. */
export interface Problems {
  readonly report: (problem: Problem) => void;
  /** A mistake in a file beside the plan, whose range is known already. */
  readonly reportIn: (file: string, range: Range, problem: Omit<Problem, 'at'>) => void;
  /** Position of an offset of the plan's text. */
  readonly positionOf: (offset: number) => Position;
  readonly hasErrors: () => boolean;
  /** True when more was found than is kept. */
  readonly isFull: () => boolean;
  /** All so far, in reading order, the same one once. */
  readonly all: () => readonly Diagnostic[];
}

/** Most problems that are kept of one plan; of more, the last says so. */
export const MAX_PROBLEMS = 1000;

/** Collects the problems of one plan text. */
export function collectProblems(file: string, text: string): Problems {
  const found: Diagnostic[] = [];
  let last: Diagnostic | undefined;
  let hasErrors = false;
  const positionOf = positionsIn(text);
  const reportIn: Problems['reportIn'] = (file, range, { code, message, fix, severity }) => {
    if (severity !== 'warning') hasErrors = true;
    if (found.length >= MAX_PROBLEMS) {
      last ??= { code, severity: severity ?? 'error', message: MORE, file, range };
      return;
    }
    found.push({ code, severity: severity ?? 'error', message, file, range, ...(fix && { fix }) });
  };
  return {
    reportIn,
    report: (problem) => {
      reportIn(file, { start: positionOf(problem.at.start), end: positionOf(problem.at.end) }, problem);
    },
    positionOf,
    isFull: () => last !== undefined,
    hasErrors: () => hasErrors,
    all: () => [...sortDiagnostics(found), ...(last === undefined ? [] : [last])],
  };
}

const MORE = `There are more than ${MAX_PROBLEMS} mistakes; from here on they are not told. Correct these first.`;

/** Gives the 1-based line and column of offsets in a text; offsets outside it count as its nearest end. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const inside = Math.max(0, Math.min(offset, text.length));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= inside) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: inside - (starts[low] ?? 0) + 1 };
  };
}
