/** One read of the console: whose it is, and what it names. */
export interface Query {
  /** Organisation of whoever is signed in; every read is bound to it. */
  readonly org: string;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}
