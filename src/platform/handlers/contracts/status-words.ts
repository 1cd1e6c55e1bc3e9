import type { CompileQueue } from '../../compiler/queue.js';
import type { VersionRow } from './tables.js';

/**
 * Words for the states of a version that the interface leaves open. Without a word of its own, a version that is being
 * compiled is still `compile_queued`, and one that is being deployed is what it was before.
 */
export interface StatusWords {
  readonly compiling?: string;
  /** `compiled` by default. */
  readonly compiled?: string;
  /** `compile_failed` by default. */
  readonly compile_failed?: string;
  readonly deploying?: string;
}

/** What a version's state is told from beside its row. */
export interface StatusContext {
  readonly compiler: Pick<CompileQueue, 'isWorkingOn'>;
  readonly settings: { readonly statusWords: StatusWords };
}

/** The word for the state of a version. */
export function shownStatus(row: VersionRow, { compiler, settings }: StatusContext): string {
  const words = settings.statusWords;
  if (words.deploying !== undefined && (row.is_deploying ?? 0) > 0) return words.deploying;
  if (row.status === 'compile_queued')
    return compiler.isWorkingOn(row.queue_place) ? (words.compiling ?? row.status) : row.status;
  return row.status === 'deployed' ? row.status : (words[row.status] ?? row.status);
}
