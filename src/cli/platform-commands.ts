import { Option, type Command } from 'commander';
import type { StartFlags } from './commands/platform-start.js';
import type { KeyFlags, Thing, ThingFlags } from './commands/platform-things.js';
import { answer, repeatable } from './options.js';
import { addControlCommands } from './platform-control-commands.js';
import { addDataCommands, withHosting } from './platform-data-commands.js';
import type { Register } from './program.js';
import type { Terminal } from './terminal.js';

/** Adds `platform` and its commands: the embedded platform of the current folder on its own. */
export function addPlatformCommands(program: Command, terminal: Terminal, register: Register): void {
  const platform = program
    .command('platform')
    .summary('the embedded platform on its own')
    .description('The embedded platform of the current folder: real compiler, real chain, real callbacks.');
  addStart(platform, terminal, register);
  platform
    .command('stop')
    .description('Stops the platform at a quiet point; its data stay.')
    .addOption(answer())
    .action((flags: ThingFlags) =>
      register(async () => (await import('./commands/platform-end.js')).stopPlatform(terminal, flags)),
    );
  platform
    .command('status')
    .description('Says where the platform runs.')
    .addOption(answer())
    .action((flags: ThingFlags) =>
      register(async () => (await import('./commands/platform-status.js')).platformStatus(terminal, flags)),
    );
  platform
    .command('console')
    .description('Prints a link that signs in to the console once, within 15 minutes.')
    .addOption(answer())
    .action((flags: ThingFlags) =>
      register(async () => (await import('./commands/platform-status.js')).consoleLink(terminal, flags)),
    );
  platform
    .command('reset')
    .description("Removes the platform's data and the journals and lockfiles of `local`.")
    .option('--yes', 'do not ask')
    .addOption(answer())
    .action((flags: ThingFlags & { readonly yes?: boolean }) =>
      register(async () => (await import('./commands/platform-end.js')).resetPlatform(terminal, flags)),
    );
  addDataCommands(platform, terminal, register);
  addControlCommands(platform, terminal, register);
  addRevoke(addThing(platform, 'key', terminal, register), terminal, register);
  for (const thing of ['project', 'wallet'] as const) addThing(platform, thing, terminal, register);
  platform
    .command('callbacks')
    .description('Lists callbacks with their state, or sends one again.')
    .option('--resend <id>', 'send this callback again')
    .addOption(answer())
    .action((flags: ThingFlags & { readonly resend?: string }) =>
      register(async () => (await import('./commands/platform-things.js')).callbacks(terminal, flags)),
    );
}

function addStart(platform: Command, terminal: Terminal, register: Register): void {
  withHosting(platform.command('start'))
    .description('Starts the platform and stays until Ctrl-C, or leaves it running with --detach.')
    .option('--detach', 'return as soon as it is ready')
    .option('--no-secrets', 'print neither key nor console link, where output is kept; as --detach does')
    .option('--port <port>', 'port to listen on (default: the last one, if it is free)')
    .option('--host <address>', 'interface to listen on; beyond loopback there is no default key')
    .option('--rpc <url>', 'a node to use instead of the embedded chain')
    .addOption(new Option('--rpc-url <url>', 'the same').hideHelp().conflicts('rpc'))
    .option('--faults <file>', 'what it does wrong: rules (`windlass schema faults`), or a log to replay')
    .option('--fault-seed <number>', 'what chance is drawn from, in place of the seed in the file')
    .option('--switch <name=value...>', 'what services do differently, e.g. redelivery=once (see PARITY.md)')
    .addOption(answer())
    .action((flags: StartFlags) =>
      register(async () =>
        (await import('./commands/platform-start.js')).startPlatformCommand(terminal, flags),
      ),
    );
}

function addRevoke(key: Command, terminal: Terminal, register: Register): void {
  key
    .command('revoke')
    .description('Takes a key away: nothing opens with it any more, nor with what it signed in.')
    .argument('<id>', 'id of the key in the list, or its client id')
    .addOption(answer())
    .action((id: string, flags: ThingFlags) =>
      register(async () => (await import('./commands/platform-things.js')).revokeKey(terminal, id, flags)),
    );
}

function addThing(platform: Command, thing: Thing, terminal: Terminal, register: Register): Command {
  const more = thing === 'key' ? ', makes one, or revokes one' : ', or makes one';
  const command = platform.command(thing).description(`Lists the ${thing}s of the running platform${more}.`);
  command
    .command('list')
    .description(`Lists the ${thing}s.`)
    .addOption(answer())
    .action((flags: ThingFlags) =>
      register(async () =>
        (await import('./commands/platform-things.js')).listThings(terminal, thing, flags),
      ),
    );
  const create = command
    .command('create')
    .description(`Makes a ${thing}.`)
    .argument('<name>', `name of the ${thing}`);
  if (thing === 'key')
    create
      .option('--organisation <name>', 'for this organisation, which is new with its first key')
      .addOption(
        repeatable('--scope <scope>', 'read, write or operate, also with commas (default: read,write)'),
      )
      .option('--expires <when>', 'when it ends: 90d, or a date such as 2027-01-31 (default: never)');
  create
    .addOption(answer())
    .action((name: string, flags: ThingFlags & KeyFlags) =>
      register(async () =>
        (await import('./commands/platform-things.js')).createThing(terminal, { thing, name }, flags),
      ),
    );
  return command;
}
