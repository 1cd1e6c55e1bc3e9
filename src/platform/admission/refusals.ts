import type { JsonObject } from '../../model/json.js';
import { ServiceError } from '../handlers/handler.js';

/** A refusal that ends by itself: the answer says in how many seconds. */
export class Busy extends ServiceError {
  /** In seconds, at least 1. */
  readonly retryAfter: number;

  constructor(status: 408 | 429 | 503, message: string, retryAfter: number) {
    super(status, message);
    this.name = 'Busy';
    this.retryAfter = Math.max(1, Math.ceil(retryAfter));
  }
}

/** A quota of an organisation that is used up: it ends when the organisation gives something up or gets more. */
export class QuotaUsed extends ServiceError {
  /** Name of the quota, as the switch that changes it. */
  readonly quota: string;
  readonly limit: number;

  /** @param status 507 for room, 429 for numbers */
  constructor(status: 429 | 507, quota: string, limit: number) {
    super(
      status,
      `The organisation's quota ${quota} is used up: ${String(limit)}. Its operator can raise it with --switch ${quota}.`,
    );
    this.name = 'QuotaUsed';
    this.quota = quota;
    this.limit = limit;
  }
}

/** The 413 of what is larger than it may be. @param field its name; `body` for a whole body */
export function tooLarge(field: string, bytes: number): ServiceError {
  const message = `The ${field} must not be greater than ${String(bytes)} bytes.`;
  return new ServiceError(413, message, { [field]: [message] });
}

/** What a refusal says to programs, beside its message. */
export function quotaFacts(cause: unknown): JsonObject {
  return cause instanceof QuotaUsed ? { code: 'quota_exceeded', quota: cause.quota, limit: cause.limit } : {};
}
