import type { ResourceId, StepId } from '../model/id.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Attempt } from './attempt.js';

/** What an attempt's answer and outcomes named. */
export interface Trace {
  readonly step: StepId;
  /** The first that it is for. */
  readonly resource: ResourceId | undefined;
  /** The ids in its answer. */
  readonly ids: JsonObject | undefined;
  /** Outputs by resource, as each event that told any had them. */
  readonly made: readonly (Json | undefined)[];
}

/** What an attempt named. */
export function traceOf({ step, resources, answered, settled, resolved, duplicates }: Attempt): Trace {
  const told = duplicates.map(({ facts }) => facts['outputs']);
  const made = [settled?.outputs, resolved?.outputs, ...told];
  return { step, resource: resources[0], ids: answered?.ids, made };
}
