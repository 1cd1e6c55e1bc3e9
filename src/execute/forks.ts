import { kindOf, type ResourceId } from '../model/id.js';
import type { PlannedStep } from '../model/change.js';
import type { Knowledge } from '../kinds/kind.js';
import { knownAddress } from '../kinds/knowledge.js';
import type { Known } from '../kinds/operation.js';
import { operationNamed } from '../kinds/registry.js';
import { lookKnowing, type Looking } from './look.js';
import { unexplainedIn } from './unexplained.js';
import { PlannedView } from './step-view.js';

/** Kinds whose effects bear the key of their step. */
const MARKED: ReadonlySet<string> = new Set(['audit-record', 'certificate']);

/**
 * The steps that this journal never sent, and whose effect is there all the same with the key of this lineage: somebody
 * else went on from a copy of this folder, or from a lockfile without its journal. Writes nothing.
 *
 * @throws REMOTE_* when the service cannot be read
 */
export async function forkedSteps(
  steps: readonly PlannedStep[],
  { recorder, abilities, service, knowledge }: Looking & { readonly knowledge: Knowledge },
): Promise<readonly ResourceId[]> {
  const lineage = recorder.state.lock?.lineage ?? '';
  const services = new Map<string, Looking['service']>();
  const forked: ResourceId[] = [];
  for (const planned of steps) {
    const kind = kindOf(planned.id);
    const operation = operationNamed(planned.operation);
    const isSent = planned.resources.some((id) => recorder.state.lastAttempt(id) !== undefined);
    if (operation === undefined || isSent || !MARKED.has(kind) || !isReady(planned, knowledge)) continue;
    const view = new PlannedView(planned, { knowledge, lineage });
    // What must be read before it is sent bears no mark.
    if (operation.prepare(view, []).length > 0) continue;
    const prepared = operation.request(view, []);
    if (prepared.type === 'refused') continue;
    const unexplained = services.get(kind) ?? unexplainedIn(service, kind, recorder.claims);
    services.set(kind, unexplained);
    const known: Known = {
      resources: planned.resources,
      context: prepared.context,
      outcome: 'ambiguous',
      ids: {},
      callbacks: [],
      late: false,
      surplus: true,
      isTaken: (name) => recorder.claims.isOwned(kind, name),
      rivals: () => [],
    };
    const { verdict } = await lookKnowing(planned.operation, known, { abilities, service: unexplained });
    if (verdict.type === 'confirmed') forked.push(planned.id);
  }
  return forked;
}

/** True when everything that the request names is there already. */
function isReady({ dependsOn }: PlannedStep, knowledge: Knowledge): boolean {
  return dependsOn.every(
    (id) => knowledge.outputs(id) !== undefined || knownAddress(knowledge, id) !== undefined,
  );
}
