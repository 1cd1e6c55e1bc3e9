import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { messageOf, WindlassError } from '../model/error.js';

/** How one Git command ended. */
export interface GitEnded {
  /** Exit code; -1 when it was killed, e.g. because it took too long. */
  readonly code: number;
  readonly stdout: Buffer;
  /** What it said, for people; without passwords of addresses. */
  readonly message: string;
}

/** Where a Git command runs and with what. */
export interface GitPlace {
  /** Working folder. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** One Git command. */
export interface GitCommand {
  readonly args: readonly string[];
  /** Its standard input; empty when absent. */
  readonly input?: string | Uint8Array;
  /** 60 s when absent. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/** More than any journal; a hostile remote must not fill the memory. */
const MAX_OUTPUT_BYTES = 1024 * 1024 * 1024;

/** Variables of Git that say how a remote is reached; all others would point it at the user's own work. */
const KEPT =
  /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|SSL_\w+|HTTP_\w+|ALLOW_PROTOCOL|EXEC_PATH)$/;

/** Variables with which a caller hands configuration over, e.g. credentials in CI. */
const CONFIGURED = /^GIT_CONFIG_(PARAMETERS|COUNT|KEY_\d+|VALUE_\d+|GLOBAL|SYSTEM|NOSYSTEM)$/;

/** The environment for asking the user's own repository. Never prompts. */
export function askingEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith('GIT_') || KEPT.test(name) || CONFIGURED.test(name),
  );
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}

/**
 * The environment for a repository of our own: nothing of the user's configuration counts but the entries given, which
 * travel as variables because they may be secret.
 *
 * @param config names and values, in order
 */
export function ownEnv(
  env: NodeJS.ProcessEnv,
  gitDir: string,
  config: readonly (readonly [string, string])[],
): NodeJS.ProcessEnv {
  const asked = askingEnv(env);
  const kept = Object.entries(asked).filter(([name]) => !CONFIGURED.test(name));
  const entries = config.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const ssh = config.some(([name]) => name === 'core.sshcommand');
  return {
    // Asks for no passphrase that nobody could type.
    ...(!ssh && { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes' }),
    ...Object.fromEntries(kept),
    ...(Object.fromEntries(entries) as Record<string, string>),
    GIT_CONFIG_COUNT: String(config.length),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_DIR: gitDir,
  };
}

/**
 * Runs Git in a process group of its own, so that a Ctrl-C for Windlass does not cut a push short.
 *
 * @throws STATE_GIT when there is no Git
 */
export async function runGit(place: GitPlace, command: GitCommand): Promise<GitEnded> {
  const { args, input = '', timeoutMs = TIMEOUT_MS } = command;
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: place.cwd, env: place.env, detached: true, windowsHide: true });
    const out: Buffer[] = [];
    let said = '';
    let size = 0;
    const kill = (): void => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
    };
    const timer = setTimeout(kill, timeoutMs);
    child.on('error', (cause) => {
      clearTimeout(timer);
      reject(new WindlassError('STATE_GIT', `Git cannot be run: ${messageOf(cause)}.`, { cause }));
    });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) kill();
      else out.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)));
    child.on('close', (code) => {
      clearTimeout(timer);
      const message = code === null ? `${said} (stopped)` : said;
      resolve({ code: code ?? -1, stdout: Buffer.concat(out), message: withoutSecrets(message) });
    });
    // Git may end before it has read everything; its exit code says so.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** One line for people: what a server wrote has its control characters and the user part of addresses taken out. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/\/\/[^/@\s]+@/g, '//…@')
    .replace(/[^\P{C}\n]/gu, '')
    .split('\n')
    .map((line) => line.trim().replace(/\.+$/, ''))
    .filter((line) => line !== '')
    .join('; ');
}
