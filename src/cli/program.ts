import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../model/error-codes.js';
import { failureAt, type CalledWith } from './failure.js';
import { addHelpCommands } from './help-commands.js';
import {
  asksForDocument,
  givesDocument,
  printFailureDocument,
  printFailureEvents,
  watchOutput,
} from './output/failure-document.js';
import { addPlanCommands, addQuestionCommands } from './plan-commands.js';
import { addPersonCommands } from './person-commands.js';
import { addPlatformCommands } from './platform-commands.js';
import type { Terminal } from './terminal.js';
import { packageVersion } from './version.js';

/** Registers an action: the command's module is loaded only when the command is called. */
export type Register = (run: () => Promise<ExitCode>) => Promise<void>;

const EXIT_CODES = `
Exit codes
  0    done                          5    stale, tampered or applied change set, wrong target,
  1    unexpected error                   lock held, journal damaged
  2    changes (--detailed-exitcode) 6    drift, or verify found a mismatch
  3    invalid input, usage,         7    incomplete or failed step; run again to resume
       blocked change, declined      8    undecided step or duplicate effect
  4    authentication                130  interrupted

Credentials come from the environment or files, never from flags.`;

/** The whole tree of commands, with their arguments and flags. @param register runs what was called */
export function commandTree(terminal: Terminal, register: Register): Command {
  const program = new Command('windlass')
    .description(
      'Declarative releases for a blockchain platform: one YAML plan, a reviewed change set, a lockfile.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('See `windlass --help`.')
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'error CLI_USAGE: ')),
      getOutHelpWidth: () => Math.min(110, terminal.out.size().columns),
      getErrHelpWidth: () => Math.min(110, terminal.err.size().columns),
      getOutHasColors: () => terminal.out.colour,
      getErrHasColors: () => terminal.err.colour,
    });
  addPlanCommands(program, terminal, register);
  addQuestionCommands(program, terminal, register);
  addPersonCommands(program, terminal, register);
  addHelpCommands(program, terminal, register);
  addPlatformCommands(program, terminal, register);
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program;
}

/**
 * Parses the arguments, runs the command and gives its exit code. Wrong usage is 3; help and version are 0. Where one JSON
 * document was asked for, a failure is one, too.
 */
export async function runProgram(argv: readonly string[], screen: Terminal): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const { terminal, isSilent } = watchOutput(screen);
  const program = commandTree(terminal, async (run) => {
    code = await run();
  });
  let called: CalledWith = {};
  let document = asksForDocument(argv);
  program.hook('preAction', (_, command) => {
    called = calledWith(command);
    document = givesDocument(command);
  });
  try {
    if (argv.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.invalid;
    }
    await program.parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.done;
    const failure = failureAt(thrown, called);
    if (document && isSilent()) printFailureDocument(terminal, failure);
    if (isSilent() && argv.includes('--json')) printFailureEvents(terminal, failure);
    if (thrown instanceof CommanderError) return EXIT.invalid;
    throw failure;
  }
  return code;
}

/** What `apply` takes may be a saved change set, which is no plan for other commands. */
function calledWith(command: Command): CalledWith {
  const { env } = command.opts<{ readonly env?: string }>();
  const at = command.registeredArguments.findIndex((argument) => argument.name() === 'plan');
  const named: unknown = command.processedArgs[at];
  const isPlan = typeof named === 'string' && (command.name() !== 'apply' || /\.ya?ml$/i.test(named));
  return { environment: env, plan: isPlan ? named : undefined };
}
