import type { JsonObject } from '../../model/json.js';
import type { Writer } from '../state/records.js';

/** A callback to be. */
export interface Callback {
  readonly org: string;
  readonly url: string;
  readonly body: JsonObject;
  /** For people who look through the list: `deployment`, `audit-record`, … and its id. */
  readonly subject: string;
}

/** The outbox: a callback is recorded with what it tells of, then posted until somebody answers 200. */
export interface Delivery {
  /** Records a callback inside the transaction of what it tells of. */
  enqueue(writer: Writer, callback: Callback): Promise<void>;
  /**
   * The text of a fault in a callback URL, or undefined when it may be used: http or https, no credentials, and an
   * address that the platform's rules allow.
   */
  fault(url: string): string | undefined;
}
