import { onTestFinished } from 'vitest';
import { openRun, type RunState } from '../../src/disk/run-state.js';
import type { StatePlace } from '../../src/disk/state-paths.js';
import type { JournalEvent } from '../../src/state/event.js';
import { adopted, AT, intended, settled, TARGET } from '../state/journal-events.js';
import { machine } from './git-remote.js';

/** What a run of these tests is. */
export const SESSION = { run: 'r1', target: TARGET, nowMs: Date.parse(AT), lineage: 'lineage-1' };
/** A contract that they release. */
export const TOKEN = 'contract.core.Token';

/** What a run records. */
export const RELEASE: readonly JournalEvent[] = [
  intended('deployment.core#1', { [TOKEN]: { cap: '1' } }),
  settled('deployment.core#1', { [TOKEN]: { address: '0xA', transaction: '0x1' } }),
  adopted('certificate.class/26[S-1]', { tokenId: '1' }),
];

/** A run on a machine of its own. */
export function session(
  run: string,
  host = `host-${run}`,
): typeof SESSION & { readonly machine: ReturnType<typeof machine> } {
  return { ...SESSION, run, machine: machine(host) };
}

/** Opens a run; it is closed when the test ends. */
export async function opened(at: StatePlace, run = 'r1'): Promise<RunState> {
  const state = await openRun(at, session(run));
  onTestFinished(() => state.close().catch(() => undefined));
  return state;
}

/** Records events as a run does. */
export async function record(run: RunState, events: readonly JournalEvent[]): Promise<void> {
  await run.journal.append(events);
  for (const event of events) run.state.apply(event);
}

/** A whole run: recorded, lockfile written, lineage freed. */
export async function release(at: StatePlace, run = 'r1'): Promise<void> {
  const state = await opened(at, run);
  await record(state, RELEASE);
  if (state.lock !== undefined) await state.writeLockfile(state.lock);
  await state.close();
}

/** An event that makes one resource. */
export function step(n: number): JournalEvent {
  return adopted(`tag.t${n}`, { id: String(n) });
}
