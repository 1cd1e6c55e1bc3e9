import { openSpool } from '../disk/callback-spool.js';
import { recordCallback } from '../execute/hear.js';
import type { Recorder } from '../execute/recorder.js';
import type { StepId } from '../model/id.js';
import type { Json } from '../model/json.js';
import { parseStrictJson } from '../remote/strict-json.js';

/**
 * Takes callbacks that came while no run was active into the journal; each leaves the spool when it is durable there.
 * Those of attempts that the journal does not know stay.
 *
 * @param folder the spool
 * @returns how many were taken
 * @throws JOURNAL_WRITE, STATE_*
 */
export async function importSpool(folder: string, recorder: Recorder): Promise<number> {
  return drainSpool(folder, recorder, (step, body) => recordCallback(recorder, step, body));
}

/** Hands every callback of the spool over; each leaves it when `receive` is done. @throws what `receive` throws; STATE_* */
export async function drainSpool(
  folder: string,
  { state }: Pick<Recorder, 'state'>,
  receive: (step: StepId, body: Json) => Promise<void>,
): Promise<number> {
  const spool = await openSpool(folder);
  let taken = 0;
  await spool.drain(async ({ token, body }) => {
    const step = state.stepOfToken(token);
    if (step === undefined) return false;
    const json = parseStrictJson(body);
    if (json !== undefined) await receive(step, json);
    taken += 1;
    return true;
  });
  return taken;
}
