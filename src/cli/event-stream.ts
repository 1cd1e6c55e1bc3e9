import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, WindlassError } from '../model/error.js';
import type { Json } from '../model/json.js';
import type { Terminal } from './terminal.js';
import { EVENTS_VERSION, packageVersion } from './version.js';

/** Flags of commands that have an event stream. */
export interface StreamFlags {
  readonly json?: boolean;
  readonly jsonInto?: string;
}

/** The event stream of a command: JSON Lines, the first of which names the versions. */
export interface EventStream {
  /** Events go to stdout, so that nothing else may. */
  readonly onStdout: boolean;
  /** Somebody reads the events; otherwise large ones need not be made. */
  readonly isRead: boolean;
  readonly emit: (event: Json) => void;
  readonly close: () => void;
}

/**
 * Opens the streams that the flags ask for; without any, events go nowhere.
 *
 * @throws CLI_FILE_MISSING when the file of `--json-into` cannot be written
 */
export function openEventStream(flags: StreamFlags, terminal: Terminal): EventStream {
  const file = flags.jsonInto === undefined ? undefined : openFile(resolve(terminal.cwd, flags.jsonInto));
  const isRead = flags.json === true || file !== undefined;
  const emit = (event: Json): void => {
    if (!isRead) return;
    const line = `${JSON.stringify(event)}\n`;
    if (flags.json) terminal.out.write(line);
    if (file !== undefined) writeSync(file, line);
  };
  emit({ type: 'version', windlass: packageVersion(), events: EVENTS_VERSION });
  return {
    onStdout: flags.json === true,
    isRead,
    emit,
    close: () => {
      if (file !== undefined) closeSync(file);
    },
  };
}

function openFile(path: string): number {
  try {
    return openSync(path, 'w', 0o600);
  } catch (thrown) {
    throw new WindlassError('CLI_FILE_MISSING', `${path} cannot be written: ${messageOf(thrown)}.`);
  }
}
