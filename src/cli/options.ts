import { Option } from 'commander';

/** `--env`. */
export function environment(): Option {
  return new Option('--env <name>', 'environment of the plan (default: local, the embedded platform)');
}

/** `--format`; the first choice is the default. */
export function format(choices: readonly [string, ...string[]]): Option {
  return new Option('--format <format>', 'form of the result').choices([...choices]).default(choices[0]);
}

/** Flags that choose what a change set is about. */
export function selection(): readonly Option[] {
  return [
    repeatable('--target <id>', 'only this resource and what it needs'),
    repeatable('--exclude <id>', 'all but this resource and what needs it'),
    repeatable('--replace <id>', 'make this resource anew although nothing asks for it'),
    new Option('--forget', 'take what the plan no longer declares out of the lockfile'),
    new Option('--refresh-only', 'compare what is locked with the platform, and nothing else').conflicts([
      'replace',
      'forget',
      'offline',
      'out',
    ]),
  ];
}

/** Flags that choose how much of a change set is shown. */
export function densities(): readonly Option[] {
  return [
    new Option('--summary', 'one line per change').conflicts('full'),
    new Option('--full', 'every input and every row'),
  ];
}

/** Flags of commands with an event stream. */
export function streams(): readonly Option[] {
  return [
    new Option('--json', 'events as JSON Lines on stdout'),
    new Option('--json-into <file>', 'events as JSON Lines into a file, beside the human view'),
  ];
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; repeatable`)
    .argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])
    .default([], 'none');
}
