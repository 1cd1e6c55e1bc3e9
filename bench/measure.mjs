import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cli = join(root, 'dist', 'cli', 'main.js');
const peak = join(import.meta.dirname, 'peak.mjs');

/** Runs the CLI once; answers wall time in ms and peak memory in MiB, and fails loudly when the exit code is not `expected`. */
export async function runCli(args, { cwd, expected = 0 }) {
  const scratch = mkdtempSync(join(tmpdir(), 'windlass-peak-'));
  const peakFile = join(scratch, 'peak');
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', peak, cli, ...args], {
    cwd,
    env: { ...process.env, BENCH_PEAK_FILE: peakFile, NO_COLOR: '1', CI: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (bytes) => (output += bytes));
  child.stderr.on('data', (bytes) => (output += bytes));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const wallMs = performance.now() - began;
  if (code !== expected)
    throw new Error(`windlass ${args.join(' ')} ended with ${code}:\n${output.slice(-3000)}`);
  const peakMiB = Number(readFileSync(peakFile, 'utf8')) / 1024;
  rmSync(scratch, { recursive: true });
  return { wallMs, peakMiB };
}

/** Median, least and most of numbers. */
export function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1) };
}

/** A wall time of a bare Node process that does nothing: what every figure contains. */
export async function bareNode() {
  const began = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => child.on('close', resolve));
  return performance.now() - began;
}
