/** Exit codes of the command line (design §3). */
export const EXIT = {
  done: 0,
  unexpected: 1,
  changes: 2,
  invalid: 3,
  authentication: 4,
  refused: 5,
  drift: 6,
  incomplete: 7,
  undecided: 8,
  interrupted: 130,
} as const;

/** One of the {@link EXIT} numbers. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The page of one code: what `windlass explain` shows of it. */
export interface CodeRow {
  /** Who must act. */
  readonly blame: 'user' | 'service' | 'windlass';
  readonly exit: ExitCode;
  /** What it means, one sentence. */
  readonly meaning: string;
  /** What to do next, one sentence or two; printed beside the error itself. */
  readonly advice: string;
  /** Why it is so, or what to look at first; on the page only. */
  readonly more?: string;
  /** Lines of a plan, or commands, that cause it or mend it; `#` begins a remark. */
  readonly example?: string;
}

/** What a page may say beside meaning and advice. */
export type PageParts = Pick<CodeRow, 'more' | 'example'>;

/** A row for what the person at the command line corrects. */
export function user(exit: ExitCode, meaning: string, advice: string, page: PageParts = {}): CodeRow {
  return { blame: 'user', exit, meaning, advice, ...page };
}

/** A row for what the service, or the way to it, did. */
export function service(exit: ExitCode, meaning: string, advice: string, page: PageParts = {}): CodeRow {
  return { blame: 'service', exit, meaning, advice, ...page };
}

/** A row for what Windlass itself did wrong. */
export function windlass(exit: ExitCode, meaning: string, advice: string, page: PageParts = {}): CodeRow {
  return { blame: 'windlass', exit, meaning, advice, ...page };
}
