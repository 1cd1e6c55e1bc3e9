import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cli = join(root, 'dist', 'cli', 'main.js');
const peak = join(import.meta.dirname, 'peak.mjs');

/**
 * Runs a Node process once: wall and CPU time in ms, peak memory in MiB, HTTP requests that it sent with undici. Fails
 * loudly when the exit code is not `expected`.
 */
export async function runNode(args, { cwd = tmpdir(), env = {}, expected = 0 } = {}) {
  const scratch = mkdtempSync(join(tmpdir(), 'windlass-peak-'));
  const peakFile = join(scratch, 'peak');
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', peak, ...args], {
    cwd,
    env: { ...process.env, ...env, BENCH_PEAK_FILE: peakFile, NO_COLOR: '1', CI: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (bytes) => (output += bytes));
  child.stderr.on('data', (bytes) => (output += bytes));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const wallMs = performance.now() - began;
  if (code !== expected) throw new Error(`${args.join(' ')} ended with ${code}:\n${output.slice(-3000)}`);
  const { maxRSS, cpu, requests } = JSON.parse(readFileSync(peakFile, 'utf8'));
  rmSync(scratch, { recursive: true });
  return { wallMs, cpuMs: cpu / 1000, peakMiB: maxRSS / 1024, requests };
}

/** Runs the CLI once. */
export function runCli(args, options) {
  return runNode([cli, ...args], options);
}

/** Median, least and most of numbers. */
export function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1) };
}

/** A bare Node process that does nothing: what every figure contains. */
export function bareNode() {
  return runNode(['-e', '0']);
}
