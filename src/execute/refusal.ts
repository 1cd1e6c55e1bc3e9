import type { WriteAnswer } from './ports.js';

/**
 * How an answer that proves no effect counts for what comes after its step:
 *
 * | failure | what the service did | what is not sent either |
 * |---|---|---|
 * | `failed` | it refused this write | what needs it |
 * | `unreachable` | it could not be reached | the rest of the lane: it shall not overtake |
 * | `barred` | it refuses every row of the batch, for a reason that is not about the row | the rest of the batch |
 */
export type Failure = 'failed' | 'unreachable' | 'barred';

/** Refusals of who asks, or of where: of credentials, rights, credit, a thing in the path, a method. */
const OF_THE_CALLER: ReadonlySet<number> = new Set([401, 402, 403, 404, 405]);

/**
 * How an answer counts.
 *
 * @param shared members of the request that are equal for all rows of a batch; a refusal that names one holds for all.
 *   One that names others is about the row, and one that names none is about it unless its status says whom it is about
 */
export function failureOf(
  { outcome, status, fields = [] }: WriteAnswer,
  shared: readonly string[] = [],
): Failure {
  if (outcome === 'not_sent') return 'unreachable';
  if (outcome !== 'rejected' || shared.length === 0) return 'failed';
  if (fields.length > 0) return fields.some((field) => shared.includes(field)) ? 'barred' : 'failed';
  return status !== undefined && OF_THE_CALLER.has(status) ? 'barred' : 'failed';
}

/** Why a step ended without effect, in words. */
export function failureText({ message, outcome }: WriteAnswer, failure: Failure): string {
  const reason = message ?? outcome;
  return failure === 'barred'
    ? `${reason} (this holds for the whole batch: no further row of it was sent)`
    : reason;
}
