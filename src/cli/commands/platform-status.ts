import { findPlatform } from '../../disk/platform-registration.js';
import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { escapeTerminal } from '../../report/escape.js';
import { textMember } from '../../model/json.js';
import { readHealth } from '../local-platform.js';
import { connectPlatform } from '../platform-client.js';
import { printResult, type Terminal } from '../terminal.js';

/** Says where the platform of a folder runs. @throws PLATFORM_NOT_RUNNING */
export async function platformStatus(
  terminal: Terminal,
  flags: { readonly format: 'text' | 'json' },
): Promise<ExitCode> {
  const found = await findPlatform(terminal.cwd);
  const running = found !== undefined && found.state !== 'stale';
  if (!running) {
    const text = 'No embedded platform runs in this folder.';
    printResult(terminal, flags.format === 'json' ? JSON.stringify({ running: false }) : text);
    return EXIT.done;
  }
  const { pid, api_url } = found.registration;
  const health = await readHealth(api_url);
  const document = {
    running: true,
    id: health.id,
    pid,
    api_url: health.apiUrl,
    rpc_url: health.rpcUrl,
    console_url: health.consoleUrl,
    chain_id: health.chainId,
    capabilities: health.capabilities,
  };
  printResult(
    terminal,
    flags.format === 'json'
      ? JSON.stringify(document, null, 2)
      : [
          `The embedded platform runs, process ${pid}.`,
          `  API      ${escapeTerminal(health.apiUrl)}`,
          `  RPC      ${escapeTerminal(health.rpcUrl)}`,
          `  console  ${escapeTerminal(health.consoleUrl)}  (signs in: windlass platform console)`,
          `  key      in .windlass/platform.json`,
        ].join('\n'),
  );
  return EXIT.done;
}

/** Prints an address that signs in to the console once, with the key of the folder. @throws PLATFORM_NOT_RUNNING */
export async function consoleLink(
  terminal: Terminal,
  flags: { readonly format: 'text' | 'json' },
): Promise<ExitCode> {
  const platform = await connectPlatform(terminal.cwd);
  const made = await platform.call('POST', '/_platform/console-link', {});
  const url = textMember(made, 'url') ?? '';
  printResult(terminal, flags.format === 'json' ? JSON.stringify(made, null, 2) : escapeTerminal(url));
  return EXIT.done;
}
