import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JsonObject } from '../../model/json.js';
import { timestampOf } from '../state/timestamp.js';
import { decisionJson } from './decision-text.js';
import type { Decision } from './decisions.js';

/** From this size on, in bytes, a new session begins a new file, and one file before it is kept. */
const LARGE = 32_000_000;

/** Writes down decisions, a line each, before they take effect. */
export interface FaultLog {
  /**
   * @param session names the counting that the decision belongs to
   * @param at milliseconds since 1970, by the platform's clock
   */
  write(decision: Decision, of: { readonly session: string; readonly at: number }): void;
  close(): void;
}

/**
 * A log of decisions in a file, JSON lines. Lines are written at once, so that a kill loses none: there are few of
 * them. The file is made with the first line.
 *
 * @throws Error of the file system when a line cannot be written
 */
export function openFaultLog(path: string): FaultLog {
  let file: number | undefined;
  return {
    write: (decision, { session, at }) => {
      file ??= openForLines(path);
      const line: JsonObject = { session, at: timestampOf(at), ...decisionJson(decision) };
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function openForLines(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGE) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}
