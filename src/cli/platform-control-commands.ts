import type { Command } from 'commander';
import type { ClockFlags } from './commands/platform-clock.js';
import type { FaultFlags, RuleFlags } from './commands/platform-fault.js';
import { answer } from './options.js';
import type { Register } from './program.js';
import type { Terminal } from './terminal.js';

/** Adds `fault` and `clock`: what the running platform does wrong on demand, and what time it is there. */
export function addControlCommands(platform: Command, terminal: Terminal, register: Register): void {
  const fault = platform
    .command('fault')
    .description(
      'What the running platform does wrong on demand, until it is cleared; rules outlive a restart.',
    );
  addRuleCommand(fault, terminal, register);
  const load = () => import('./commands/platform-fault.js');
  fault
    .command('list')
    .description('Lists the rules in force, and how often each was matched and fired.')
    .addOption(answer())
    .action((flags: FaultFlags) => register(async () => (await load()).listFaults(terminal, flags)));
  fault
    .command('clear')
    .description('Takes a rule out of force, or all of them.')
    .argument('[name]', 'name of the rule (default: all)')
    .addOption(answer())
    .action((name: string | undefined, flags: FaultFlags) =>
      register(async () => (await load()).clearFaults(terminal, name, flags)),
    );
  fault
    .command('log')
    .description('Prints what was decided; .windlass/platform/faults.jsonl keeps it.')
    .addOption(answer())
    .action((flags: FaultFlags) => register(async () => (await load()).faultLog(terminal, flags)));
  fault
    .command('replay')
    .description('Makes the decisions of a log again: the last session of a faults.jsonl.')
    .argument('<log>', 'the log')
    .addOption(answer())
    .action((log: string, flags: FaultFlags) =>
      register(async () => (await load()).replayFaults(terminal, log, flags)),
    );
  platform
    .command('clock')
    .description('Says what time it is on the running platform, or changes it.')
    .option('--advance <time>', 'go on by 90s, 15m, 2h or 1d, doing what is due on the way')
    .option('--set <time>', 'go on to a time, such as 2027-01-01T00:00:00Z')
    .option('--freeze', 'stand still')
    .option('--resume', 'go on from there')
    .addOption(answer())
    .action((flags: ClockFlags) =>
      register(async () => (await import('./commands/platform-clock.js')).platformClock(terminal, flags)),
    );
}

function addRuleCommand(fault: Command, terminal: Terminal, register: Register): void {
  fault
    .command('add')
    .description('Puts the rules of a file in force, or one rule.')
    .argument('[file]', 'rules as YAML or JSON (`windlass schema faults`)')
    .option('--fault <fault>', 'what happens, e.g. drop_after_commit, slow=3s, refuse=404, late=5m')
    .option('--name <name>', 'name of the rule')
    .option('--operation <name>', 'requests of this operation, e.g. certificate.mint*')
    .option('--method <method>', 'requests with this method')
    .option('--path <path>', 'requests to this path, e.g. /api/audit/*')
    .option('--marker <text>', 'requests with this text in a field')
    .option('--callback [of]', 'callbacks instead of requests, e.g. of deployment or audit-*')
    .option(
      '--attempt <numbers>',
      'of a callback: the second sending: 2; any of them: any (default: the first)',
    )
    .option('--organisation <name>', 'of this organisation, or *')
    .option('--project <slug>', 'of this project')
    .option('--nth <numbers>', 'the second: 2; the first and third: 1,3')
    .option('--every <number>', 'each whose number is a multiple')
    .option('--chance <share>', 'with a probability from 0 to 1')
    .option('--first <number>', 'so many, then no more')
    .option('--after <number>', 'only after so many')
    .option('--seed <number>', 'what chance is drawn from (default: drawn itself)')
    .addOption(answer())
    .action((file: string | undefined, flags: RuleFlags) =>
      register(async () => (await import('./commands/platform-fault.js')).addFaults(terminal, file, flags)),
    );
}
