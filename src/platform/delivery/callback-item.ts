import { timestampOf } from '../state/timestamp.js';

/** A callback as lists show it. The path of its URL is a secret of the caller, so only the origin is shown. */
export interface CallbackItem {
  readonly id: number;
  readonly origin: string;
  /** Type of what it tells of, and the id of that in the records. */
  readonly subject: string;
  /** `pending`, `delivered` or `given-up`. */
  readonly state: string;
  /** How often it was posted, by whoever's wish. */
  readonly attempts: number;
  /** HTTP status or the kind of failure of the last attempt, `sending`, or what a fault did; empty before the first. */
  readonly last_result: string;
  /** When the last attempt ended; null before the first. */
  readonly last_at: string | null;
  /** When it goes out next; null when it does not. */
  readonly due_at: string | null;
  readonly created_at: string;
}

/** A callback that somebody had sent again, and whether that attempt ended while they waited. */
export type ResentCallback = CallbackItem & { readonly sent: boolean };

/** What of a callback's row its item is made of. */
export const CALLBACK_COLUMNS = 'id, url, subject, state, attempts, last_result, last_at, due, created_at';

/** A row with {@link CALLBACK_COLUMNS}. */
export type CallbackRow = Omit<CallbackItem, 'origin' | 'due_at'> & {
  readonly url: string;
  readonly due: number;
};

/** The item of a row. */
export function callbackItem({ url, due, created_at, ...row }: CallbackRow): CallbackItem {
  const due_at = row.state === 'pending' ? timestampOf(due) : null;
  return { ...row, due_at, created_at, origin: new URL(url).origin };
}
