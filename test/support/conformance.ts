import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import type { Exchange } from '../../src/platform/server/exchanges.js';
import { component, exchangeFaults, faultsOf } from './openapi.js';

/** Where platforms publish their exchanges. */
const CHANNEL = 'windlass.platform.exchange';

const CALLBACKS = ['DeploymentCallback', 'TransactionCallback', 'WrappedCallback', 'ExecutionCallback'];

const faults = new Set<string>();
let folder: string | undefined;

/** Loaded into processes that tests start: writes every exchange of their platform beside the others. */
const PROBE = `import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
const file = new URL(process.pid + '.ndjson', import.meta.url);
subscribe('${CHANNEL}', (exchange) => appendFileSync(file, JSON.stringify(exchange) + '\\n'));
`;

subscribe(CHANNEL, (exchange) => {
  for (const fault of exchangeFaults(exchange as Exchange)) faults.add(fault);
});

/**
 * Expects that every exchange of the platforms of this test file, in this process and in those it started, was one of the
 * document, whatever the tests were about. Called after each file.
 */
export function expectConformance(): void {
  if (folder !== undefined) readProcesses(folder);
  folder = undefined;
  const found = [...faults];
  faults.clear();
  expect(found, 'what platforms said and took is what schemas/openapi.yaml says').toEqual([]);
}

/** Environment of a process whose platform is held to the document too. */
export function watchedEnvironment(): Readonly<Record<string, string>> {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'windlass-exchanges-'));
    writeFileSync(join(folder, 'probe.mjs'), PROBE);
  }
  const probe = pathToFileURL(join(folder, 'probe.mjs')).href;
  return { NODE_OPTIONS: [process.env['NODE_OPTIONS'], `--import=${probe}`].filter(Boolean).join(' ') };
}

/** Notes a callback body that no callback of the document describes. */
export function checkCallback(body: JsonObject): void {
  const all = CALLBACKS.map((name) => faultsOf(component(name), body, true));
  if (all.some((found) => found.length === 0)) return;
  faults.add(`callback ${JSON.stringify(body).slice(0, 200)}: ${JSON.stringify(all)}`);
}

function readProcesses(from: string): void {
  for (const file of readdirSync(from).filter((name) => name.endsWith('.ndjson'))) {
    // A process that was killed may have left half a line.
    const lines = readFileSync(join(from, file), 'utf8').split('\n').slice(0, -1);
    for (const line of lines)
      for (const fault of exchangeFaults(JSON.parse(line) as Exchange)) faults.add(fault);
  }
  rmSync(from, { recursive: true });
}
