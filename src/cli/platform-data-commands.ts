import type { Command } from 'commander';
import type { StoreFlags } from './commands/platform-hosting.js';
import { answer } from './options.js';
import type { AnswerFlags } from './output/answer.js';
import { repeatable } from './options.js';
import type { Register } from './program.js';
import type { Terminal } from './terminal.js';

/** Adds the flags of a platform that others use. */
export function withHosting(command: Command): Command {
  return withStore(command)
    .option('--hosted', 'for others, behind a proxy on this machine: no default key, no known wallets')
    .option('--public-url <url>', 'base of the addresses in answers and certificates')
    .addOption(repeatable('--allow-origin <origin>', 'web pages of this origin may ask /rpc, as dapps do'))
    .option('--trust-proxy', 'believe X-Forwarded-* headers')
    .option(
      '--allow-callbacks <networks...>',
      'private networks that callbacks may go to, beside the public internet',
    )
    .option(
      '--callback-ports <ports>',
      'ports that callbacks may go to, e.g. 443,8000-8999 (hosted: 80,443,1024-65535)',
    )
    .option('--rate-limit <requests>', 'requests of one organisation in a minute (hosted: 400)')
    .option('--package-registry <url>', 'where packages and compilers come from (or WINDLASS_REGISTRY)')
    .option('--registry-token-file <file>', 'the token of that registry (or WINDLASS_REGISTRY_TOKEN)')
    .option('--allow-packages <names>', 'packages that may be used, e.g. @openzeppelin/*,solady')
    .option('--funder-file <file>', 'key of the payer of gas on a --rpc (or WINDLASS_FUNDER_KEY)')
    .option('--funder-floor <ether>', 'balance that custodial wallets keep at least (default: 0.05)')
    .option('--log <format>', 'write a log to standard error: json')
    .option('--drain <seconds>', 'when stopping, say that it is not ready for so long before it refuses');
}

/** Adds `export`, `import` and `rotate-key`: what is done to the data of a stopped platform. */
export function addDataCommands(platform: Command, terminal: Terminal, register: Register): void {
  const load = () => import('./commands/platform-data.js');
  withStore(platform.command('export'))
    .description('Writes everything of the stopped platform into one file.')
    .argument('<file>', 'file to write; it must not be there')
    .addOption(answer())
    .action((file: string, flags: StoreFlags & AnswerFlags) =>
      register(async () => (await load()).exportData(terminal, file, flags)),
    );
  withStore(platform.command('import'))
    .description('Fills the empty folder of a platform, or an empty database, from such a file.')
    .argument('<file>', 'file to read')
    .addOption(answer())
    .action((file: string, flags: StoreFlags & AnswerFlags) =>
      register(async () => (await load()).importData(terminal, file, flags)),
    );
  withStore(platform.command('rotate-key'))
    .description('Wraps what the stopped platform sealed with another key-encryption key.')
    .requiredOption('--to <file>', 'file of the new key; made when it is missing')
    .addOption(answer())
    .action((flags: StoreFlags & AnswerFlags & { readonly to: string }) =>
      register(async () => (await load()).rotateKey(terminal, flags)),
    );
}

function withStore(command: Command): Command {
  return command
    .option('--database <url>', 'Postgres for the records: postgres://user@host:port/name')
    .option('--database-password-file <file>', 'its password (or WINDLASS_DATABASE_PASSWORD)')
    .option(
      '--kek-file <file>',
      'key-encryption key of custodial keys and people, 64 hex digits (or WINDLASS_PLATFORM_KEK)',
    );
}
