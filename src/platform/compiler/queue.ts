/** The queue of versions to compile. */
export interface CompileQueue {
  /** Wakes the queue: a version was recorded as `compile_queued`. */
  wake(): void;
}
