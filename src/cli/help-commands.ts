import { Argument, Option, type Command } from 'commander';
import type { SchemaName } from '../schemas.js';
import type { DemoFlags } from './commands/demo.js';
import type { ExplainFlags } from './commands/explain.js';
import type { InitFlags, Template } from './commands/init.js';
import { answer, document, environment, format, streams } from './options.js';
import type { Register } from './program.js';
import type { Terminal } from './terminal.js';

/** Adds the commands that help to begin and to understand. */
export function addHelpCommands(program: Command, terminal: Terminal, register: Register): void {
  const demo = program
    .command('demo')
    .summary('the whole story on a bundled example')
    .description('Starts the platform, applies a bundled example, verifies it and applies it again.')
    .argument('[dir]', 'folder to play in, which is kept (default: a temporary one)')
    .addOption(template('campus'))
    .option('--keep', 'keep the temporary folder');
  for (const option of streams()) demo.addOption(option);
  demo.action((dir: string | undefined, flags: DemoFlags) =>
    register(async () => (await import('./commands/demo.js')).demo(terminal, dir, flags)),
  );
  program
    .command('init')
    .summary('write a working plan folder')
    .description('Writes a plan folder that applies as it stands. Overwrites nothing.')
    .argument('[dir]', 'folder to write to (default: the current one)')
    .addOption(template('minimal'))
    .addOption(answer())
    .action((dir: string | undefined, flags: InitFlags) =>
      register(async () => (await import('./commands/init.js')).init(terminal, dir, flags)),
    );
  program
    .command('schema')
    .summary('print a JSON Schema')
    .description('Prints the JSON Schema of plans, lockfiles, journals, attestations, change sets or faults.')
    .addArgument(
      new Argument('[name]', 'which one')
        .choices(['plan', 'lock', 'journal', 'attestation', 'change-set', 'faults'])
        .default('plan'),
    )
    .addOption(document())
    .action((name: SchemaName) =>
      register(async () => (await import('./commands/schema.js')).schema(terminal, name)),
    );
  program
    .command('explain')
    .summary('explain an error code')
    .description('Shows what an error code means, who must act and what to do; without one, lists all codes.')
    .argument('[code]', 'for example PLAN_CYCLE')
    .addOption(format(['text', 'json', 'markdown']))
    .option('--all', 'the page of every code')
    .action((code: string | undefined, flags: ExplainFlags) =>
      register(async () => (await import('./commands/explain.js')).explain(terminal, code, flags)),
    );
  addDoctor(program, terminal, register);
}

function addDoctor(program: Command, terminal: Terminal, register: Register): void {
  program
    .command('doctor')
    .summary('check the surroundings')
    .description(
      'Checks Node, folder, registry, platform, and with a plan its credentials, service and callbacks.',
    )
    .argument('[plan]', 'plan file, or the folder of a windlass.yaml')
    .addOption(environment())
    .addOption(answer())
    .action((plan: string | undefined, flags: { readonly env?: string; readonly format: 'text' | 'json' }) =>
      register(async () => (await import('./commands/doctor.js')).doctor(terminal, plan, flags)),
    );
}

function template(preset: Template): Option {
  return new Option('--template <template>', 'what to begin with')
    .choices(['minimal', 'campus', 'certificates', 'audit'] satisfies Template[])
    .default(preset);
}
