import type { Selection } from '../diff/selection.js';
import type { Density } from '../report/change-text.js';

/** Flags that choose what a change set is about. */
export interface SelectionFlags {
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  readonly replace: readonly string[];
  readonly forget?: boolean;
  readonly refreshOnly?: boolean;
}

/** Flags that choose how much of a change set is shown. */
export interface DensityFlags {
  readonly summary?: boolean;
  readonly full?: boolean;
}

/** The selection that the flags ask for. */
export function selectionOf(flags: SelectionFlags): Selection {
  return { targets: flags.target, excludes: flags.exclude, replaces: flags.replace };
}

/** The density that the flags ask for; `--full` goes before `--summary`. */
export function densityOf(flags: DensityFlags): Density {
  if (flags.full) return 'full';
  return flags.summary ? 'summary' : 'default';
}

/** The flags as words of a command line, to be said again in the next command. */
export function selectionWords(flags: SelectionFlags): readonly string[] {
  return [
    ...flags.target.flatMap((id) => ['--target', id]),
    ...flags.exclude.flatMap((id) => ['--exclude', id]),
    ...flags.replace.flatMap((id) => ['--replace', id]),
    ...(flags.forget ? ['--forget'] : []),
    ...(flags.refreshOnly ? ['--refresh-only'] : []),
  ];
}
