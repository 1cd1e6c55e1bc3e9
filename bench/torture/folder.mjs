import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What lies in a plan's folder after a run. */
export const STATE = '.windlass/env/local';

/** Bytes of the journal by now. */
export function journalSize(root) {
  return statSync(join(root, STATE, 'journal.jsonl'), { throwIfNoEntry: false })?.size ?? 0;
}

/** Events of the journal. */
export function journalEvents(root) {
  const text = readFileSync(join(root, STATE, 'journal.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).e);
}

/** Entries of the lockfile and its sidecars by resource id. */
export function lockEntries(root) {
  const main = JSON.parse(readFileSync(join(root, 'windlass.local.lock.json'), 'utf8'));
  const entries = new Map(Object.entries(main.resources));
  const sidecars = join(root, 'windlass.local.lock');
  for (const name of existsSync(sidecars) ? readdirSync(sidecars) : []) {
    if (!name.endsWith('.ndjson')) continue;
    const batch = name.slice(0, -'.ndjson'.length);
    for (const line of readFileSync(join(sidecars, name), 'utf8').trimEnd().split('\n')) {
      const { key, ...entry } = JSON.parse(line);
      entries.set(`certificate.${batch}[${key}]`, entry);
    }
  }
  return { entries, addresses: main.addresses };
}

/** Files that a clean end does not leave: run locks and temporary files. */
export function leftovers(root) {
  const state = readdirSync(join(root, STATE)).filter((name) => /^run\.lock|takeover|\.tmp$/.test(name));
  const top = readdirSync(root).filter((name) => name.endsWith('.tmp'));
  return [...state, ...top];
}

/** The process of the folder's platform; undefined when none is registered. */
export function platformProcess(root) {
  return readJson(join(root, '.windlass', 'platform.json'))?.pid;
}

/** Where the platform of the folder is asked, and where it tells ground truth. */
export function platformPorts(root) {
  const { api_url: api, rpc_url: rpc } = readJson(join(root, '.windlass', 'platform.json'));
  const log = readFileSync(join(root, '.windlass', 'platform.log'), 'utf8');
  return { api, rpc, truth: /truth\s+(http:\S+)/.exec(log)[1] };
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
