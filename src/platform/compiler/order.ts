/** What a compiler thread is asked to do. Everything it may read is in it. */
export interface CompileOrder {
  /** Tells the compiler from any other. */
  readonly compiler: string;
  /** Code of that compiler, where the thread does not have it yet. */
  readonly soljson?: Uint8Array;
  /** Standard JSON input. */
  readonly input: string;
  /** Sources of packages that imports reach, by the name that the compiler asks for. */
  readonly files: Readonly<Record<string, string>>;
  /** What imports reach and cannot be had, and why. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Standard JSON output, or why the compiler could not run. */
export type CompileAnswer = { readonly output: string } | { readonly failure: string };
