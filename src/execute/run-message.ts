import type { PlannedStep } from '../model/change.js';
import type { ResourceId, StepId } from '../model/id.js';
import type { Sight } from './look.js';
import type { StepReport } from './result.js';
import type { Sent } from './send.js';
import type { Watch } from './watch.js';

/** What something under way tells the loop when it is done; all that decisions are made from comes as one of these. */
export type Message =
  | { readonly type: 'sent'; readonly planned: PlannedStep; readonly sent: Sent }
  | { readonly type: 'again'; readonly planned: PlannedStep }
  | { readonly type: 'seen'; readonly watch: Watch; readonly sight: Sight; readonly late: boolean }
  | { readonly type: 'due'; readonly waiting: readonly Waiting[] }
  | { readonly type: 'heard'; readonly step: StepId }
  | SettledMessage
  | { readonly type: 'stopped' }
  /** A stopped run has waited long enough for outcomes. */
  | { readonly type: 'drained' }
  | { readonly type: 'broke'; readonly thrown: unknown };

/** A watch that waits for its time, and which of its waits it is. */
export interface Waiting {
  readonly watch: Watch;
  readonly turn: number;
}

/** The end of an attempt stands in the journal. `made`: the resources that it made; `again`: it provably had no effect and may be sent anew. */
export interface SettledMessage {
  readonly type: 'settled';
  readonly planned: PlannedStep;
  readonly report: StepReport;
  readonly made: readonly ResourceId[];
  readonly again: boolean;
}
