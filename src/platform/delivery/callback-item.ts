/** A callback as lists show it. The path of its URL is a secret of the caller, so only the origin is shown. */
export interface CallbackItem {
  readonly id: number;
  readonly origin: string;
  readonly subject: string;
  /** `pending`, `delivered` or `given-up`. */
  readonly state: string;
  readonly attempts: number;
  /** HTTP status or the kind of failure of the last attempt, or what a fault did; empty before the first. */
  readonly last_result: string;
  readonly created_at: string;
}

/** What of a callback's row its item is made of. */
export const CALLBACK_COLUMNS = 'id, url, subject, state, attempts, last_result, created_at';

/** A row with {@link CALLBACK_COLUMNS}. */
export type CallbackRow = Omit<CallbackItem, 'origin'> & { readonly url: string };

/** The item of a row. */
export function callbackItem({ url, ...row }: CallbackRow): CallbackItem {
  return { ...row, origin: new URL(url).origin };
}
