import type { ResourceId } from '../model/id.js';
import { member, textMember, type Json, type JsonObject } from '../model/json.js';
import { itemsOf } from './listing.js';
import type { CallbackHint, Known } from './operation.js';

/** A contract of a deploy request, as the intent keeps it. */
export interface Deployed {
  readonly id: ResourceId;
  readonly name: string;
  readonly artifact: number | undefined;
  /** Its ABI has events, so that the version's detail lists its instances. */
  readonly events: boolean;
}

/** The contracts of a request, from its pre-image; in the order of the request. */
export function contractsOf(context: JsonObject): readonly Deployed[] {
  return itemsOf(asAnswer(context['contracts'])).flatMap((item) => {
    const id = textMember(item, 'id');
    const name = textMember(item, 'name');
    const artifact = item['artifact'];
    if (id === undefined || name === undefined) return [];
    const number = typeof artifact === 'number' ? artifact : undefined;
    return [{ id: id as ResourceId, name, artifact: number, events: item['events'] !== false }];
  });
}

/** What a callback says of one contract of a request: a hint until a read agrees. */
export interface Claim {
  readonly address: string;
  readonly hash: string | undefined;
}

/** What the callbacks about this deployment say of the contract with an artifact id; the first word of each first. */
export function claimedContracts(known: Known, artifact: number | undefined): readonly Claim[] {
  return known.callbacks
    .filter((hint) => isAboutUs(hint, known))
    .flatMap((hint) => itemsOf(asAnswer(hint.facts['deployed_contract_addresses'])))
    .filter((item) => item['sc_artifact_id'] === artifact)
    .flatMap((item) => claimOf(item) ?? []);
}

/** The first callback with a claim that names the deployment which the service answered with. */
export function callbackAbout(known: Known, claim: CallbackHint['claim']): CallbackHint | undefined {
  if (known.ids['deploymentId'] === undefined) return undefined;
  return known.callbacks.find((hint) => hint.claim === claim && isAboutUs(hint, known));
}

function isAboutUs({ facts }: CallbackHint, { ids }: Known): boolean {
  return ids['deploymentId'] === undefined || facts['deployment_id'] === ids['deploymentId'];
}

function claimOf(item: JsonObject): Claim | undefined {
  const address = textMember(item, 'contract_address');
  const hash = textMember(member(item, 'receipt'), 'transactionHash');
  return address === undefined ? undefined : { address, hash };
}

function asAnswer(value: Json | undefined): { type: 'found'; value: Json; source: 'read' } {
  return { type: 'found', value: value ?? null, source: 'read' };
}
