/** What a compiler thread is asked to do. */
export interface CompileOrder {
  /** Path of the compiler's `soljson.js`. */
  readonly soljson: string;
  /** SHA-256 that file must have, hex; undefined: not checked. */
  readonly sha256: string | undefined;
  /** Standard JSON input. */
  readonly input: string;
  /** Folder of the packages; undefined: none. */
  readonly packages: string | undefined;
  /** Packages that may be imported. */
  readonly names: readonly string[];
}

/** Standard JSON output, or why the compiler could not run. */
export type CompileAnswer = { readonly output: string } | { readonly failure: string };
