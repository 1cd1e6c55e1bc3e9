import { EXIT } from '../model/error-codes.js';
import { messageOf } from '../model/error.js';
import { wantsTraces, type Tracing } from '../remote/tracing.js';
import { reportFailure } from './failure.js';
import { runProgram } from './program.js';
import { processTerminal, printNote, type Terminal } from './terminal.js';
import { packageVersion } from './version.js';

/**
 * Runs one command in this process and ends it with the command's exit code.
 *
 * A Ctrl-C or SIGTERM ends a command that only reads at once. One that writes is asked to finish what is in flight;
 * the second signal ends it, too, at once, which is safe: the journal holds every intent before anything is sent.
 */
export async function runProcess(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  let holders = 0;
  const hold = (): (() => void) => {
    holders += 1;
    return () => void (holders -= 1);
  };
  const plain = processTerminal({ signal: interrupt.signal, hold });
  const tracing = await tracingOf(argv, plain);
  const terminal = tracing === undefined ? plain : { ...plain, tracing };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (interrupt.signal.aborted || holders === 0) process.exit(EXIT.interrupted);
      printNote(terminal, '\nStopping: waiting for what is in flight. Once more ends at once.');
      interrupt.abort();
    });
  }
  process.on('uncaughtException', (thrown) => process.exit(reportFailure(thrown, terminal)));
  process.on('unhandledRejection', (thrown) => process.exit(reportFailure(thrown, terminal)));
  const code = await runProgram(argv, terminal).catch((thrown: unknown) => reportFailure(thrown, terminal));
  await tracing?.end(code);
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

/** Traces, when the environment asks for them; nothing of it is loaded otherwise. */
async function tracingOf(argv: readonly string[], terminal: Terminal): Promise<Tracing | undefined> {
  if (!wantsTraces(terminal.env)) return undefined;
  try {
    const { openTracing } = await import('../remote/otel.js');
    return openTracing({ command: argv[0] ?? '', version: packageVersion(), env: terminal.env });
  } catch (thrown) {
    printNote(terminal, `Traces are off: ${messageOf(thrown)}`);
    return undefined;
  }
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}
