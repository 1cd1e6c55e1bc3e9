import type { IncomingHttpHeaders } from 'node:http';
import { EXECUTE_BEFORE } from '../../protocol/deadline.js';
import { ServiceError, type Context } from '../handlers/handler.js';
import type { Records } from '../state/records.js';

/**
 * What a handler may use for one request: where the request names a time after which it must not be begun, nothing of
 * it is recorded later than that, wherever it was held up. What had begun in time is finished.
 *
 * @param nowMs the machine's clock, which client and platform share; the platform's own may have been moved
 */
export function inTime(
  context: Context,
  headers: IncomingHttpHeaders,
  nowMs: () => number = Date.now,
): Context {
  const text = headers[EXECUTE_BEFORE];
  if (text === undefined) return context;
  const deadlineMs = Number(text);
  const { records } = context;
  let begun = false;
  const begin = (): void => {
    // What cannot be read as a time promised something, too.
    if (!begun && !(nowMs() <= deadlineMs))
      throw new ServiceError(503, 'The request came too late and was not executed.');
  };
  const transact: Records['transact'] = async (fn) => {
    const result = await records.transact(async (writer) => {
      const written = await fn(writer);
      begin();
      return written;
    });
    begun = true;
    return result;
  };
  return { ...context, records: { ...readsOf(records), transact } };
}

function readsOf(records: Records): Omit<Records, 'transact'> {
  return {
    all: (sql, args) => records.all(sql, args),
    first: (sql, args) => records.first(sql, args),
    expunge: (table) => records.expunge(table),
    lost: records.lost,
    close: () => records.close(),
  };
}
