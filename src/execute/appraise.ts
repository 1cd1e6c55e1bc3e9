import { readAddress } from '../model/address.js';
import type { ErrorCode } from '../model/error-codes.js';
import { WindlassError } from '../model/error.js';
import { kindOf, type ResourceId, type StepId } from '../model/id.js';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { driftedFields } from '../diff/fields.js';
import { adoptionOf, type Adoption } from '../kinds/adoption.js';
import type { Abilities } from '../kinds/kind.js';
import type { Grade, Outputs } from '../state/event.js';
import { uncomparedIn } from '../state/uncompared.js';
import type { Claims } from './claims.js';
import { gather } from './gather.js';
import type { Service } from './ports.js';

/** What a person says of one resource. */
export interface Claimed {
  readonly id: ResourceId;
  /** Public inputs that it should have. */
  readonly inputs: Json;
  /** Pre-image of the attempt, or what reads need to know. */
  readonly context: JsonObject;
  /** Name → text, as typed. */
  readonly given: Readonly<Record<string, string>>;
  /** The attempt that made it; of a thing that none made, a step that does not exist. */
  readonly step: StepId;
  /** The name of the person whom a wallet is for, where the plan at hand says it. */
  readonly person?: string | undefined;
}

/** What is needed to verify. */
export interface Appraising {
  readonly claims: Claims;
  readonly abilities: Abilities;
  readonly service: Pick<Service, 'read'>;
}

/** What is locked of it, and how well that is known; `unseen` says why only the person's word stands. */
export interface Appraised {
  readonly outputs: Outputs;
  readonly grade: Grade;
  readonly unseen?: string;
  /** Inputs that no read showed, by their paths: nobody compared them. */
  readonly uncompared: readonly string[];
}

/**
 * Verifies what a person says exists, by every read that there is.
 *
 * @param refusal code of the refusal when reads contradict it
 * @throws CLI_USAGE for a name or value that is not of the kind; the refusal, naming the fields that differ; REMOTE_*
 */
export async function appraise(
  claimed: Claimed,
  { claims, abilities, service }: Appraising,
  refusal: ErrorCode,
): Promise<Appraised> {
  const { id, inputs, context, step } = claimed;
  const adoption = adoptionOf(kindOf(id));
  if (adoption === undefined) throw new WindlassError('ADOPT_REFUSED', `${id} has no state of its own.`);
  const given = checkGiven(id, adoption, claimed.given);
  const view = {
    id,
    inputs: isJsonObject(inputs) ? inputs : {},
    context,
    given,
    abilities,
    person: claimed.person,
  };
  const answers = await gather(service, (sofar) => adoption.next(view, sofar));
  const found = adoption.appraise(view, answers);
  if (found.type === 'contradicted') throw new WindlassError(refusal, `${id}: ${found.reason}.`);
  const fields = found.type === 'shown' ? driftedFields(view.inputs, found.shown) : [];
  if (fields.length > 0) {
    const named = fields.map(({ path }) => path).join(', ');
    throw new WindlassError(refusal, `${id}: what is there differs in ${named}.`);
  }
  const { outputs } = found;
  const taken = [outputs.address, outputs.transaction].some(
    (name) => name !== undefined && claims.isTaken(kindOf(id), name, step),
  );
  if (taken) throw new WindlassError(refusal, `${id}: that is the effect of another step already.`);
  const shown = found.type === 'shown' ? found.shown : {};
  const uncompared = [
    ...Object.keys(view.inputs).filter((name) => shown[name] === undefined),
    ...uncomparedIn(outputs),
  ];
  return found.type === 'shown'
    ? { outputs, grade: found.grade, uncompared }
    : { outputs, grade: 'O', unseen: found.reason, uncompared };
}

function checkGiven(
  id: ResourceId,
  { names, form }: Adoption,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const wrong = Object.keys(given).find((name) => !names.includes(name));
  if (wrong !== undefined || given[names[0]] === undefined) {
    const problem = wrong === undefined ? `needs ${names[0]}=${form}` : `has no ${wrong}=`;
    throw new WindlassError('CLI_USAGE', `${id} ${problem}.`, {
      advice: `Name it as ${names.map((name) => `${name}=${form}`).join(' and ')}.`,
    });
  }
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, valueOf(name, text)]));
}

const FORMS: Readonly<Record<string, RegExp>> = {
  tx: /^0x[0-9a-f]{64}$/i,
  token: /^(0|[1-9]\d{0,77})$/,
  id: /^[1-9]\d{0,14}$/,
  slug: /^[\w.-]+$/,
};

function valueOf(name: string, text: string): string {
  if (name === 'address') {
    const reading = readAddress(text);
    if (reading.ok) return reading.address;
    throw new WindlassError('CLI_USAGE', `address=${text} is no address: ${reading.reason}.`);
  }
  if (FORMS[name]?.test(text) === false)
    throw new WindlassError('CLI_USAGE', `${name}=${text} does not have the form of a ${name}.`);
  return text;
}
