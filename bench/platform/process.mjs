import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const entry = new URL('../../dist/platform/platform.js', import.meta.url).href;

const CODE = `const { startPlatform } = await import(process.argv[1]);
const { platform: _, ...options } = JSON.parse(process.argv[2]);
const failed = (cause) => { if (!process.send) process.stderr.write(String(cause?.stack ?? cause) + '\\n'); };
try {
  const platform = await startPlatform({ ...options, failed });
  const { apiUrl, rpcUrl, truthUrl, apiKey, wallets, id } = platform;
  process.on('SIGTERM', () => platform.stop().then(() => process.exit(0)));
  console.log(JSON.stringify({ apiUrl, rpcUrl, truthUrl, apiKey, wallets, id }));
} catch (cause) {
  console.log(JSON.stringify({ refused: String(cause?.message ?? cause) }));
  process.exit(1);
}`;

/**
 * Starts the built platform in a process of its own. Answers what it says when it is ready, with the process and the
 * milliseconds until then.
 *
 * @throws Error with the platform's words when it refuses to start
 */
export async function startProcess(options) {
  const began = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '-e', CODE, entry, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const gone = once(child, 'exit').then(() => undefined);
  const line = await Promise.race([once(lines, 'line').then(([text]) => text), gone]);
  const said = line === undefined ? { refused: 'it ended without a word' } : JSON.parse(line);
  if (said.refused !== undefined) throw new Error(`the platform refused to start: ${said.refused}`);
  return { ...said, child, gone, readyMs: performance.now() - began };
}

/** Kills a process at once and waits until it is gone. */
export async function kill({ child, gone }) {
  child.kill('SIGKILL');
  await gone;
}
