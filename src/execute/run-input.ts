import type { ChangeSet } from '../model/change.js';
import type { Knowledge } from '../kinds/kind.js';
import type { Pace } from './pace.js';
import type { Ports } from './ports.js';
import type { Recorder } from './recorder.js';

/** What a run works with. */
export interface RunInput {
  readonly changeSet: ChangeSet;
  readonly lineage: string;
  readonly recorder: Recorder;
  readonly knowledge: Knowledge;
  readonly ports: Ports;
  readonly pace: Pace;
  readonly maxInFlight: number;
  /** `plan`: a lane sends the next only when the last was answered. */
  readonly sendOrder: 'plan' | 'any';
  /** Begin nothing more once a step did not succeed; what is under way is settled. */
  readonly failFast: boolean;
  /** Fires once: begin nothing more, settle what is under way. */
  readonly signal: AbortSignal;
}
