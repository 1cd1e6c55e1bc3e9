/** One rule of the protocol taken out of the compiled engine, by its text. */
export interface Mutant {
  readonly name: string;
  /** The rule that is missing, in words. */
  readonly rule: string;
  /** File under `src`, as compiled. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** What one expects to see of it. */
  readonly symptom: string;
}

export function mutant(
  name: string,
  rule: string,
  change: readonly [string, string, string],
  symptom: string,
): Mutant {
  const [file, find, replace] = change;
  return { name, rule, file, find, replace, symptom };
}
