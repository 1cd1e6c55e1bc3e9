import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import type { Exchange } from '../../src/platform/server/exchanges.js';
import { component, exchangeFaults, faultsOf } from './openapi.js';

/** Where platforms publish their exchanges. */
const CHANNEL = 'windlass.platform.exchange';

const CALLBACKS = ['DeploymentCallback', 'TransactionCallback', 'WrappedCallback', 'ExecutionCallback'];

const faults = new Set<string>();
let folder: string | undefined;

// Imported by whatever starts platforms: every exchange of a test file is held to the document, whatever it is about.
subscribe(CHANNEL, (exchange) => {
  for (const fault of exchangeFaults(exchange as Exchange)) faults.add(fault);
});

afterAll(() => {
  if (folder !== undefined) readProcesses(folder);
  expect([...faults], 'what platforms said and took is what schemas/openapi.yaml says').toEqual([]);
});

/** Environment of a process whose platform is held to the document too. */
export function watchedEnvironment(): Readonly<Record<string, string>> {
  folder ??= mkdtempSync(join(tmpdir(), 'windlass-exchanges-'));
  const probe = fileURLToPath(new URL('exchange-probe.mjs', import.meta.url));
  const options = [process.env['NODE_OPTIONS'], `--import=${probe}`];
  return { NODE_OPTIONS: options.filter(Boolean).join(' '), WINDLASS_TEST_EXCHANGES: folder };
}

/** Notes a callback body that no callback of the document describes. */
export function checkCallback(body: JsonObject): void {
  const all = CALLBACKS.map((name) => faultsOf(component(name), body, true));
  if (all.some((found) => found.length === 0)) return;
  faults.add(`callback ${JSON.stringify(body).slice(0, 200)}: ${JSON.stringify(all)}`);
}

function readProcesses(from: string): void {
  for (const file of readdirSync(from)) {
    // A process that was killed may have left half a line.
    const lines = readFileSync(join(from, file), 'utf8').split('\n').slice(0, -1);
    for (const line of lines)
      for (const fault of exchangeFaults(JSON.parse(line) as Exchange)) faults.add(fault);
  }
  rmSync(from, { recursive: true });
}
