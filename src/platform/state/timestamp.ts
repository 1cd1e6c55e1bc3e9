/**
 * A time as the service writes it: ISO 8601 UTC with microseconds, `2025-02-03T03:15:30.000000Z`. The clock gives
 * milliseconds, so the last three digits are zero.
 *
 * @param milliseconds since 1970
 */
export function timestampOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}

/**
 * Sets `updated_at` in an UPDATE, without ever setting it back: a block's time is in whole seconds, and so often lies
 * before that of the request. Takes the time twice.
 */
export const UPDATED_AT = 'updated_at = CASE WHEN updated_at > ? THEN updated_at ELSE ? END';
