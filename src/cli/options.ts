import { InvalidArgumentError, Option } from 'commander';

/** `--env`. */
export function environment(): Option {
  return new Option('--env <name>', 'environment of the plan (default: local, the embedded platform)');
}

/** `--format`; the first choice is the default. */
export function format(choices: readonly [string, ...string[]]): Option {
  return new Option('--format <format>', 'form of the result').choices([...choices]).default(choices[0]);
}

/** `--format` of a command that says what it did, to people or to tools. */
export function answer(): Option {
  return format(['text', 'json']);
}

/** `--format` of a command whose result is a JSON document anyway. */
export function document(): Option {
  return format(['json']);
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

/** `--accept-key`. */
export function acceptKey(): Option {
  return new Option(
    '--accept-key <fingerprint>',
    'this API key is of the organisation that the lockfile belongs to, although nothing here proves it',
  );
}

/** `--share-with`. */
export function shareWith(): Option {
  return repeatable(
    '--share-with <environment>',
    'this environment shares an organisation with that one on purpose; needed before the first apply',
  );
}

/** `--lock-timeout`, in milliseconds. */
export function lockTimeout(): Option {
  return new Option(
    '--lock-timeout <duration>',
    'wait so long for another run, e.g. 30s or 10m (default: not at all)',
  ).argParser(durationMs);
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

function durationMs(text: string): number {
  const [, count, unit] = /^([0-9]{1,6})(ms|s|m|min|h)$/.exec(text) ?? [];
  const each = UNITS_MS[unit ?? ''];
  if (each === undefined)
    throw new InvalidArgumentError('It has to be a number and ms, s, m or h, e.g. 10m.');
  return Number(count) * each;
}

/** An option that may be given several times; its value is the list. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; repeatable`)
    .argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])
    .default([], 'none');
}
