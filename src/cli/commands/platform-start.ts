import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPlatform, registerPlatform, unregisterPlatform } from '../../disk/platform-registration.js';
import { EXIT, isErrorCode, type ExitCode } from '../../model/error-codes.js';
import { messageOf, WindlassError } from '../../model/error.js';
import type { Platform, PlatformOptions } from '../../platform/platform.js';
import { SYSTEM_CLOCK } from '../clock.js';
import { platformFolders, startEmbedded } from '../local-platform.js';
import { platformSwitches } from '../platform-switches.js';
import { packageWords, registryChoice, type PackageFlags } from '../registry-choice.js';
import { isSet, printNote, printResult, type Terminal } from '../terminal.js';
import { hostingOptions, hostingWords, type HostingFlags } from './platform-hosting.js';
import { platformStatus } from './platform-status.js';

/** Flags of `platform start`. */
export interface StartFlags extends HostingFlags, PackageFlags {
  readonly detach?: boolean;
  /** False: what opens the platform is not printed, because what is printed is kept. */
  readonly secrets?: boolean;
  readonly port?: string;
  readonly host?: string;
  readonly rpc?: string;
  /** What `rpc` was called before. */
  readonly rpcUrl?: string;
  /** File of rules, or a log of decisions. */
  readonly faults?: string;
  readonly faultSeed?: string;
  /** `name=value` pairs. */
  readonly switch?: readonly string[];
  readonly format: 'text' | 'json';
}

const DETACHED_READY_MS = 30_000;

/** Starts the embedded platform of a folder: in this process until it is stopped, or detached. @throws PLATFORM_RUNNING, PLATFORM_START */
export async function startPlatformCommand(terminal: Terminal, flags: StartFlags): Promise<ExitCode> {
  const faults = await faultsOf(terminal, flags);
  const options = { ...optionsOf(terminal, flags), ...faults.options };
  const found = await findPlatform(terminal.cwd);
  if (found?.state === 'running') {
    const { pid, api_url } = found.registration;
    throw new WindlassError(
      'PLATFORM_RUNNING',
      `Process ${pid} runs the platform of this folder at ${api_url}.`,
    );
  }
  return flags.detach ? detach(terminal, { ...flags, ...faults.settled }) : stay(terminal, flags, options);
}

async function stay(terminal: Terminal, flags: StartFlags, options: PlatformOptions): Promise<ExitCode> {
  const platform = await startEmbedded(options);
  const release = terminal.interruption.hold();
  try {
    await register(terminal.cwd, platform);
    if (flags.format === 'json') await platformStatus(terminal, flags);
    else printResult(terminal, readyText(platform, options, flags.secrets === false));
    const ended = await Promise.race([
      platform.died,
      aborted(terminal.interruption.signal).then(() => undefined),
    ]);
    if (ended !== undefined) throw new WindlassError('PLATFORM_START', `The platform ended: ${ended}.`);
    return EXIT.done;
  } finally {
    await platform.stop();
    await unregisterPlatform(terminal.cwd, process.pid);
    release();
    printNote(terminal, 'The embedded platform has stopped; its data stay.');
  }
}

async function detach(terminal: Terminal, flags: StartFlags): Promise<ExitCode> {
  const log = join(terminal.cwd, '.windlass', 'platform.log');
  mkdirSync(join(terminal.cwd, '.windlass'), { recursive: true, mode: 0o700 });
  // A new file: what was there may be open to others, or lead elsewhere.
  rmSync(log, { force: true });
  const output = openSync(log, 'wx', 0o600);
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const child = spawn(process.execPath, [main, 'platform', 'start', '--no-secrets', ...wordsOf(flags)], {
    cwd: terminal.cwd,
    env: terminal.env,
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const gone = new Promise<'gone'>((resolve) => child.once('exit', () => resolve('gone')));
  child.unref();
  const began = SYSTEM_CLOCK.nowMs();
  while (SYSTEM_CLOCK.nowMs() - began < DETACHED_READY_MS) {
    const found = await findPlatform(terminal.cwd);
    if (found?.state === 'running' && found.registration.pid === child.pid) {
      return platformStatus(terminal, flags);
    }
    const pause = SYSTEM_CLOCK.sleep(50).then(() => 'waiting' as const);
    if ((await Promise.race([gone, pause])) === 'gone') break;
  }
  throw reasonIn(readFileSync(log, 'utf8'));
}

async function register(root: string, platform: Platform): Promise<void> {
  const key = platform.apiKey ?? (await platform.commandLineKey());
  await registerPlatform(root, {
    id: platform.id,
    api_url: platform.localUrl,
    rpc_url: `${platform.localUrl}/rpc`,
    pid: process.pid,
    client_id: key.client_id,
    client_secret: key.client_secret,
  });
}

/**
 * What `anvil` shows at its start: where it listens, whose wallets there are, the key that opens it.
 *
 * @param kept what is printed is kept: without key and link
 */
function readyText(platform: Platform, { faults, replayedFaults }: PlatformOptions, kept: boolean): string {
  const key = kept ? undefined : platform.apiKey;
  return [
    'The embedded platform is ready.',
    `  API      ${platform.apiUrl}`,
    `  RPC      ${platform.rpcUrl}`,
    `  console  ${key ? platform.consoleLink(key.client_id) : platform.consoleUrl}`,
    `  chain    ${platform.chainId}`,
    ...(platform.truthUrl === undefined ? [] : [`  truth    ${platform.truthUrl}`]),
    ...(faults ? [`  faults   ${faults.rules.length} rules, seed ${faults.seed ?? 0}`] : []),
    ...(platform.resumedFaults > 0
      ? [`  faults   ${platform.resumedFaults} rules as before (\`windlass platform fault list\`, \`clear\`)`]
      : []),
    ...(replayedFaults ? [`  faults   ${replayedFaults.length} decisions of a log`] : []),
    ...keyLines(platform, kept),
    ...(platform.wallets.length > 0 ? ['Organisation wallets'] : []),
    ...platform.wallets.map((address) => `  ${address}`),
    ...(key ? ['The console link signs in once; `windlass platform console` prints another.'] : []),
    'Ctrl-C stops it; its data stay.',
  ].join('\n');
}

function keyLines({ apiKey }: Platform, kept: boolean): readonly string[] {
  if (!apiKey) return ['  No default key on this interface: make one with `windlass platform key create`.'];
  if (kept) return ['  key      in .windlass/platform.json'];
  return [`  client_id      ${apiKey.client_id}`, `  client_secret  ${apiKey.client_secret}`];
}

function optionsOf(terminal: Terminal, flags: StartFlags): PlatformOptions {
  const { host, rpc = flags.rpcUrl } = flags;
  const port = portOf(flags);
  const switched = platformSwitches(flags.switch ?? []);
  const hosting = hostingOptions(terminal, flags);
  return {
    ...platformFolders(terminal.cwd, terminal.env),
    packages: registryChoice(terminal, flags),
    ...switched,
    // Without one the platform keeps its last: the addresses of metadata name it.
    ...(port !== undefined && { port }),
    // The log tells of failures itself.
    ...(flags.log === undefined && {
      failed: (cause) => printNote(terminal, `platform: ${messageOf(cause)}`),
    }),
    ...hosting,
    ...((switched.limits ?? hosting.limits) && { limits: { ...switched.limits, ...hosting.limits } }),
    ...(host !== undefined && { host }),
    ...(rpc !== undefined && { rpcUrl: rpc }),
    // For tests: no flag and no plan asks for it.
    ...(isSet(terminal.env['WINDLASS_TRUTH']) && { truth: { port: 0 } }),
  };
}

function portOf({ port }: StartFlags): number | undefined {
  const number = port === undefined ? undefined : Number(port);
  if (number === undefined || (Number.isInteger(number) && number >= 0 && number <= 65_535)) return number;
  throw new WindlassError('CLI_USAGE', `${port ?? ''} is not a port.`);
}

/** What befalls requests and callbacks; `settled`: the flags with a seed, so that another process has the same. */
async function faultsOf(
  terminal: Terminal,
  { faults, faultSeed }: StartFlags,
): Promise<{ readonly options: Partial<PlatformOptions>; readonly settled: Partial<StartFlags> }> {
  if (faults === undefined) {
    if (faultSeed !== undefined) throw new WindlassError('CLI_USAGE', '--fault-seed needs --faults.');
    return { options: {}, settled: {} };
  }
  const { readFaultFile } = await import('../fault-file.js');
  const read = readFaultFile(terminal.cwd, faults, faultSeed);
  if (read.type === 'log') return { options: { replayedFaults: read.decisions }, settled: {} };
  return { options: { faults: read.rules }, settled: { faultSeed: String(read.rules.seed) } };
}

function wordsOf(flags: StartFlags): readonly string[] {
  const { rpc = flags.rpcUrl } = flags;
  return [
    ...(flags.port === undefined ? [] : ['--port', flags.port]),
    ...(flags.host === undefined ? [] : ['--host', flags.host]),
    ...(rpc === undefined ? [] : ['--rpc', rpc]),
    ...(flags.faults === undefined ? [] : ['--faults', flags.faults]),
    ...(flags.faultSeed === undefined ? [] : ['--fault-seed', flags.faultSeed]),
    ...(flags.switch ?? []).flatMap((pair) => ['--switch', pair]),
    ...hostingWords(flags),
    ...packageWords(flags),
  ];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Why a detached platform ended: the error that it told its log, as it would be told without `--detach`. */
function reasonIn(log: string): WindlassError {
  const told = /^error (\w+): (.*(?:\n(?! {2}fix: ).*)*)(?:\n {2}fix: (.*))?/m.exec(log);
  const [, code = '', message = '', advice] = told ?? [];
  if (!isErrorCode(code)) {
    const last = log.trim().split('\n').slice(-5).join('\n') || 'it said nothing';
    return new WindlassError('PLATFORM_START', `The embedded platform did not start: ${last}`);
  }
  return new WindlassError(code, message.trim(), advice === undefined ? {} : { advice });
}
