import { WindlassError } from '../model/error.js';
import { kindOf, nameOf, type ResourceId, type StepId } from '../model/id.js';
import { isJsonObject, type JsonObject } from '../model/json.js';
import { adoptionOf } from '../kinds/adoption.js';
import { isConfirmed, isOpen, type Attempt } from '../state/attempt.js';
import type { Grade, Looked, Outputs, StepResolved } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import { appraise, type Appraised, type Appraising } from './appraise.js';
import { look } from './look.js';
import type { Recorder } from './recorder.js';

/** What a person says of a step. */
export interface Resolution {
  readonly decision: StepResolved['decision'];
  /** For `adopt`: names and values as typed; for contracts of a batch, by instance. */
  readonly given: Readonly<Record<string, string>>;
  readonly statement: string;
  readonly by: string;
}

/** Word for a contract of a batch that was not made. */
const NONE = 'none';

/** A step that a person may settle. @throws RESOLVE_NOT_OPEN for any other one */
export function resolvableStep(state: LineageState, text: string): Attempt {
  const attempt = state.attempts.get(text as StepId);
  if (attempt === undefined) {
    throw new WindlassError('RESOLVE_NOT_OPEN', `The journal holds no step ${text}.`);
  }
  if (!isOpen(attempt) && attempt.contradicted === undefined) {
    throw new WindlassError('RESOLVE_NOT_OPEN', `The outcome of ${text} is settled: ${outcomeOf(attempt)}.`);
  }
  return attempt;
}

/** What a resolution allows to be sent anew: nothing, something whose second effect is an orphan, or a fact. */
export function licence(
  attempt: Attempt,
  { decision, given }: Pick<Resolution, 'decision' | 'given'>,
): 'none' | 'container' | 'fact' {
  const again = decision === 'absent' || (decision === 'adopt' && Object.values(given).includes(NONE));
  if (!again) return 'none';
  return attempt.resources.some((id) => adoptionOf(kindOf(id))?.fact === true) ? 'fact' : 'container';
}

/**
 * Records what a person says of a step, after every read that could contradict it.
 *
 * @returns what was taken into the lock, by resource
 * @throws RESOLVE_CONTRADICTED, RESOLVE_NOT_OPEN, CLI_USAGE, REMOTE_*, JOURNAL_WRITE
 */
export async function resolveStep(
  attempt: Attempt,
  resolution: Resolution,
  parts: Omit<Appraising, 'claims'> & { readonly recorder: Recorder },
): Promise<Readonly<Record<ResourceId, Appraised>>> {
  const { decision, statement, by } = resolution;
  const said = { type: 'step-resolved', step: attempt.step, decision, statement, by } as const;
  if (decision === 'keep') {
    refuseKeep(attempt);
    await parts.recorder.record(said);
    return {};
  }
  if (decision === 'absent') {
    refuseConfirmed(attempt);
    const looked = await refuseShown(attempt, parts);
    await parts.recorder.record({ ...said, looked });
    return {};
  }
  const adopted = await appraiseAll(attempt, resolution.given, parts);
  const outputs: Record<ResourceId, Outputs> = {};
  let grade: Grade = 'A';
  for (const [id, made] of Object.entries(adopted) as [ResourceId, Appraised][]) {
    outputs[id] = made.outputs;
    if (made.grade > grade) ({ grade } = made);
  }
  await parts.recorder.record({ ...said, outputs, grade });
  return adopted;
}

function refuseKeep({ step, contradicted }: Attempt): void {
  if (contradicted === 'duplicate') return;
  throw new WindlassError('RESOLVE_NOT_OPEN', `${step} did not take effect beside another attempt.`, {
    advice: 'Say --adopt with what it made, or --absent.',
  });
}

/** Declaring a confirmed step absent would send it anew. */
function refuseConfirmed(attempt: Attempt): void {
  if (!isConfirmed(attempt)) return;
  throw new WindlassError('RESOLVE_NOT_OPEN', `${attempt.step} took effect: that is proven.`, {
    advice: 'Say --keep: the lock stays as it is, whatever became of the second effect.',
  });
}

/** Nobody may declare absent what can be read. @returns what the reads showed */
async function refuseShown(
  attempt: Attempt,
  { recorder, abilities, service }: Omit<Appraising, 'claims'> & { readonly recorder: Recorder },
): Promise<readonly Looked[]> {
  const { verdict, looked } = await look(attempt, true, { recorder, abilities, service });
  if (verdict.type !== 'confirmed') return looked;
  throw new WindlassError('RESOLVE_CONTRADICTED', `${attempt.step} took effect: the platform shows it.`, {
    advice: 'Run `windlass apply`: it settles the step by what can be read.',
  });
}

async function appraiseAll(
  attempt: Attempt,
  given: Readonly<Record<string, string>>,
  { recorder, abilities, service }: Omit<Appraising, 'claims'> & { readonly recorder: Recorder },
): Promise<Readonly<Record<ResourceId, Appraised>>> {
  const adopted: Record<ResourceId, Appraised> = {};
  for (const [id, values] of sharesOf(attempt, given)) {
    adopted[id] = await appraise(
      {
        id,
        given: values,
        inputs: attempt.inputs[id] ?? {},
        context: contextOf(attempt),
        step: attempt.step,
        person: recorder.people?.names.get(id),
      },
      { claims: recorder.claims, abilities, service },
      'RESOLVE_CONTRADICTED',
    );
  }
  return adopted;
}

/** What was given for each resource; every contract of a batch must be spoken of, with its address or `none`. */
function sharesOf(
  { step, resources }: Attempt,
  given: Readonly<Record<string, string>>,
): readonly (readonly [ResourceId, Readonly<Record<string, string>>])[] {
  const [first] = resources;
  const simple = resources.length === 1 && first !== undefined && !Object.hasOwn(given, instanceOf(first));
  if (simple) return [[first, given]];
  const names = resources.map(instanceOf);
  const odd = Object.keys(given).find((name) => !names.includes(name));
  const missing = names.find((name) => given[name] === undefined);
  if (odd !== undefined || missing !== undefined) {
    const problem = odd === undefined ? `${missing}= is missing` : `${odd} is none of its contracts`;
    throw new WindlassError('CLI_USAGE', `${step}: ${problem}.`, {
      advice: `Name each contract: ${names.map((name) => `${name}=0x…`).join(' ')}; ${NONE} for one that was not made.`,
    });
  }
  return resources.flatMap((id) => {
    const address = given[instanceOf(id)] ?? NONE;
    return address === NONE ? [] : [[id, { address }] as const];
  });
}

/** The last part of a contract's id: the name of the instance. */
export function instanceOf(id: ResourceId): string {
  const name = nameOf(id);
  return name.slice(name.lastIndexOf('.') + 1);
}

function contextOf({ before }: Attempt): JsonObject {
  return isJsonObject(before) ? before : {};
}

function outcomeOf({ resolved, settled }: Attempt): string {
  return resolved === undefined ? (settled?.state ?? 'open') : `resolved as ${resolved.decision}`;
}
