import { WindlassError } from '../model/error.js';
import { stepId, type ResourceId } from '../model/id.js';
import { textMember, type Json, type JsonObject } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import type { AnyResource, InputsOf } from '../model/resource.js';
import { fillPlaceholders, publicView, referencesOf } from '../model/value.js';
import { adoptionOf } from '../kinds/adoption.js';
import type { Knowledge } from '../kinds/kind.js';
import { knownAddress } from '../kinds/knowledge.js';
import { personIn } from '../kinds/wallet.js';
import { kindNamed } from '../kinds/registry.js';
import { isOpen } from '../state/attempt.js';
import { appraise, type Appraised, type Appraising } from './appraise.js';
import type { Recorder } from './recorder.js';
import { knowledgeOf } from './survey.js';

/** What a person wants in the lock. */
export interface Adopting {
  readonly plan: Plan;
  readonly id: string;
  readonly given: Readonly<Record<string, string>>;
  readonly statement?: string;
}

/**
 * Takes a thing that exists into the lock, after it was compared with the plan by every read that there is. What no read
 * shows is named in the entry: it is locked on the person's word alone.
 *
 * @throws CHANGE_UNKNOWN_ID; ADOPT_REFUSED when it is locked, under way or not of a kind that can be adopted;
 * ADOPT_CONTRADICTED naming what differs; CLI_USAGE, REMOTE_*, JOURNAL_WRITE
 */
export async function adoptResource(
  { plan, id, given, statement }: Adopting,
  parts: Omit<Appraising, 'claims'> & { readonly recorder: Recorder },
): Promise<Appraised> {
  const { recorder, abilities, service } = parts;
  const resource = plan.resources.find((item) => item.id === id);
  if (resource === undefined) throw new WindlassError('CHANGE_UNKNOWN_ID', `The plan declares no ${id}.`);
  refuse(resource, recorder);
  const knowledge = knowledgeOf(plan, recorder.state, abilities);
  const inputs = settledInputs(resource, knowledge);
  const adopted = await appraise(
    {
      id: resource.id,
      inputs,
      context: contextOf(resource, knowledge),
      given,
      step: stepId(resource.id, 0),
      person: personIn(resource),
    },
    { claims: recorder.claims, abilities, service },
    'ADOPT_CONTRADICTED',
  );
  const { grade, uncompared } = adopted;
  const outputs = uncompared.length === 0 ? adopted.outputs : { ...adopted.outputs, uncompared };
  const words = statement === undefined ? {} : { statement };
  await recorder.record({ type: 'resource-adopted', id: resource.id, outputs, inputs, grade, ...words });
  return { ...adopted, outputs };
}

function refuse(resource: AnyResource, { state }: Recorder): void {
  const { id, kind } = resource;
  const attempt = state.lastAttempt(id);
  if (attempt !== undefined && isOpen(attempt)) {
    throw new WindlassError('ADOPT_REFUSED', `The outcome of ${attempt.step} is not known yet.`, {
      advice: `Settle that step: \`windlass resolve '${attempt.step}' --adopt …\`; see \`windlass status\`.`,
    });
  }
  if (state.lock?.entries.has(id) === true) {
    throw new WindlassError('ADOPT_REFUSED', `The lock holds ${id} already.`);
  }
  if (kindNamed(kind).isExisting(resource)) {
    throw new WindlassError(
      'ADOPT_REFUSED',
      `The plan itself names what ${id} is; nothing is to be adopted.`,
    );
  }
  if (adoptionOf(kind)?.adoptable === true) return;
  throw new WindlassError(
    'ADOPT_REFUSED',
    `What a ${kind} did cannot be adopted: it belongs to one attempt.`,
  );
}

/** Inputs as the lock keeps them. */
function settledInputs(resource: AnyResource, knowledge: Knowledge): Json {
  const comparable = kindNamed(resource.kind).comparable(resource);
  const inputs = publicView(fillPlaceholders(comparable, (ref) => knownAddress(knowledge, ref)));
  const missing = referencesOf(inputs);
  if (missing.length === 0) return inputs;
  throw new WindlassError(
    'ADOPT_REFUSED',
    `${resource.id} needs the address of ${missing.join(', ')}, which is not known yet.`,
    { advice: 'Apply or adopt that first.' },
  );
}

/** What reads need to know that an attempt would have in its pre-image. */
function contextOf(resource: AnyResource, knowledge: Knowledge): JsonObject {
  if (resource.kind === 'version') {
    const project = projectSlug(resource.inputs, knowledge);
    return project === undefined ? {} : { project };
  }
  if (resource.kind !== 'contract' || 'address' in resource.inputs) return {};
  const { version, wallet } = resource.inputs;
  const declared = knowledge.resource(version)?.inputs as InputsOf['version'] | undefined;
  const slugs = {
    projectSlug: declared && projectSlug(declared, knowledge),
    versionSlug: textMember(knowledge.outputs(version), 'slug'),
  };
  const address = fillPlaceholders(wallet.address, (ref: ResourceId) => knownAddress(knowledge, ref));
  return {
    ...(slugs.projectSlug !== undefined && { projectSlug: slugs.projectSlug }),
    ...(slugs.versionSlug !== undefined && { versionSlug: slugs.versionSlug }),
    wallet: address,
  };
}

function projectSlug({ project }: InputsOf['version'], knowledge: Knowledge): string | undefined {
  const declared = knowledge.resource(project)?.inputs as InputsOf['project'] | undefined;
  return textMember(knowledge.outputs(project), 'slug') ?? declared?.slug;
}
