import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { SETTLED } from '../../protocol/settled.js';
import { FILLER } from '../chain/settlement.js';
import { ServiceError } from '../handlers/handler.js';
import type { Reader } from '../state/records.js';

const LOOK_MS = 50;

/** What only uses up a nonce has no effect that anybody could ask for. */
const PENDING = `org = ? AND status = 'pending' AND subject_type <> '${FILLER}'`;

/** Clients give up a read after some multiple of this. */
const PATIENCE_MS = 5_000;

/**
 * Holds a read up until all that the organisation had recorded when it came has its outcome, where the request asks so.
 *
 * @throws ServiceError 503 when that takes too long
 */
export async function untilSettled(
  records: Reader,
  org: string,
  headers: IncomingHttpHeaders,
): Promise<void> {
  if (headers[SETTLED] === undefined) return;
  const last = await records.first<{ id: number | null }>(
    `SELECT max(id) AS id FROM transactions WHERE ${PENDING}`,
    [org],
  );
  const newest = last?.id ?? null;
  if (newest === null) return;
  const sql = `SELECT id FROM transactions WHERE ${PENDING} AND id <= ? LIMIT 1`;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_MS) {
    if ((await records.first(sql, [org, newest])) === undefined) return;
    await pause(LOOK_MS);
  }
  throw new ServiceError(503, 'What was sent before has no outcome yet.');
}
