import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

/** Longest time of one command; one that takes longer hangs. */
const LIMIT_MS = 150_000;

/**
 * Starts the command line in a folder. `ended` resolves to how it ended; `hung` means that it had to be killed. All
 * that it starts carries `mark` in its environment.
 */
export function start(args, { cwd, mark, env = {}, limitMs = LIMIT_MS }) {
  const { CI: _ci, ...own } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { ...own, NO_COLOR: '1', WINDLASS_TRUTH: '1', WINDLASS_TORTURE: mark, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C is for the torture, which lets its stories end.
    detached: true,
  });
  let output = '';
  let hung = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const timer = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, limitMs);
  const ended = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ command: args.join(' '), code, signal, hung, output });
    });
  });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return { pid: child.pid, ended, isOver, output: () => output };
}

/** Runs a command to its end. */
export function run(args, place) {
  return start(args, place).ended;
}

/** Sends a signal to a process of ours that may be gone. */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (cause) {
    if (cause.code !== 'ESRCH') throw cause;
  }
}

/** Waits until `isTrue`, or until `ms` have passed; says whether it came true. */
export async function until(isTrue, ms, stepMs = 2) {
  const end = performance.now() + ms;
  while (!isTrue()) {
    if (performance.now() > end) return false;
    await sleep(stepMs);
  }
  return true;
}

/** True while a process is stopped by a signal (Linux). */
export function isStopped(pid) {
  return stateOf(pid) === 'T';
}

/** False for a process that is gone, or dead and not yet buried (Linux). */
export function isRunning(pid) {
  return !['', 'Z', 'X'].includes(stateOf(pid));
}

function stateOf(pid) {
  try {
    return /^\d+ \(.*\) (\S) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** Processes that carry a mark (Linux; none elsewhere). */
export function marked(mark) {
  const ids = statSync('/proc/self', { throwIfNoEntry: false }) === undefined ? [] : readdirSync('/proc');
  return ids
    .filter((id) => /^\d+$/.test(id) && environmentOf(id).includes(`WINDLASS_TORTURE=${mark}`))
    .map(Number);
}

function environmentOf(id) {
  try {
    return readFileSync(`/proc/${id}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
