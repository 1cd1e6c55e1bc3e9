import { Option, type Command } from 'commander';
import type { GraphFlags } from './commands/graph.js';
import type { ValidateFlags } from './commands/validate.js';
import type { Register } from './program.js';
import type { Terminal } from './terminal.js';

const PLAN = 'plan file, or the folder of a windlass.yaml (default: windlass.yaml)';

/** Adds the commands about a plan. */
export function addPlanCommands(program: Command, terminal: Terminal, register: Register): void {
  program
    .command('validate')
    .summary('check a plan offline')
    .description(
      'Checks a plan without network or credentials. All mistakes come at once, each at its line and column.',
    )
    .argument('[plan]', PLAN)
    .addOption(environment())
    .addOption(format(['text', 'json', 'sarif', 'github']))
    .action((plan: string | undefined, flags: ValidateFlags) =>
      register(async () => (await import('./commands/validate.js')).validate(terminal, plan, flags)),
    );
  program
    .command('graph')
    .summary('print the dependency graph')
    .description('Prints the dependency graph of a plan; a batch of certificates is one node.')
    .argument('[plan]', PLAN)
    .addOption(environment())
    .addOption(format(['mermaid', 'dot', 'svg', 'json']))
    .action((plan: string | undefined, flags: GraphFlags) =>
      register(async () => (await import('./commands/graph.js')).graph(terminal, plan, flags)),
    );
}

function environment(): Option {
  return new Option('--env <name>', 'environment of the plan (default: local, the embedded platform)');
}

function format(choices: readonly [string, ...string[]]): Option {
  return new Option('--format <format>', 'form of the result').choices([...choices]).default(choices[0]);
}
