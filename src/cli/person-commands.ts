import type { Command } from 'commander';
import type { AdoptFlags } from './commands/adopt.js';
import type { ListenFlags } from './commands/listen.js';
import type { ResolveFlags } from './commands/resolve.js';
import { acceptKey, answer, environment, lockTimeout, shareWith } from './options.js';
import type { Register } from './program.js';
import type { Terminal } from './terminal.js';

/** Adds the commands with which a person says what cannot be proven, and the one that keeps callbacks. */
export function addPersonCommands(program: Command, terminal: Terminal, register: Register): void {
  program
    .command('resolve')
    .summary('settle a step that only a person can settle')
    .description(
      'Records what a person found out about a step whose outcome is not known. `windlass status` prints the possible lines.',
    )
    .argument('<step>', 'the step, as `status` names it, e.g. certificate.batch[KEY]#1')
    .argument('[plan]', 'plan file, or the folder of a windlass.yaml (default: windlass.yaml)')
    .addOption(environment())
    .option(
      '--adopt <k=v...>',
      'it took effect: address=, tx=, token=, id=, slug=, or INSTANCE= for each contract',
    )
    .option('--absent', 'it had no effect; the next apply sends it again')
    .option('--keep', 'it took effect beside another attempt; the lock stays as it is')
    .option('--statement <text>', 'what was looked at')
    .option('--by <name>', 'who says so', 'operator')
    .option('--confirm <step>', 'the name of the step, where nobody can type it')
    .option('--accept-possible-duplicate', 'for what cannot be undone: a second effect is possible')
    .addOption(acceptKey())
    .addOption(lockTimeout())
    .addOption(answer())
    .action((step: string, plan: string | undefined, flags: ResolveFlags) =>
      register(async () => (await import('./commands/resolve.js')).resolve(terminal, step, plan, flags)),
    );
  program
    .command('adopt')
    .summary('take something that exists into the lock')
    .description('Takes something that exists into the lock, after comparing it with the plan.')
    .argument('<id>', 'the resource, e.g. contract.core.Token')
    .argument('<k=v...>', 'what it is: address=, slug=, id= or token=; a word without = names the plan')
    .addOption(environment())
    .option('--statement <text>', 'what was looked at')
    .addOption(acceptKey())
    .addOption(shareWith())
    .addOption(lockTimeout())
    .addOption(answer())
    .action((id: string, words: readonly string[], flags: AdoptFlags) =>
      register(async () => (await import('./commands/adopt.js')).adopt(terminal, id, words, flags)),
    );
  program
    .command('listen')
    .summary('receive and keep callbacks while no run is active')
    .description('Receives callbacks and keeps them for the next run, until Ctrl-C or SIGTERM.')
    .argument('[plan]', 'plan file, or the folder of a windlass.yaml (default: windlass.yaml)')
    .addOption(environment())
    .option('--json', 'one JSON line for each event on stdout')
    .action((plan: string | undefined, flags: ListenFlags) =>
      register(async () => (await import('./commands/listen.js')).listen(terminal, plan, flags)),
    );
}
