/**
 * A time as the service writes it: ISO 8601 UTC with microseconds, `2025-02-03T03:15:30.000000Z`. The clock gives
 * milliseconds, so the last three digits are zero.
 *
 * @param milliseconds since 1970
 */
export function timestampOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
