/** The text as one word of a POSIX shell, quoted where it needs to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line that can be pasted. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
