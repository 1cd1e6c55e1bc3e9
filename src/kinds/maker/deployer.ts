import { isJsonObject, member, textMember, type Json, type JsonObject } from '../../model/json.js';
import type { ShownInstance } from '../constructor.js';
import { claimedContracts, contractsOf } from '../deployment-claim.js';
import type { Shown } from '../deployment-reads.js';
import type { Abilities } from '../kind.js';
import { objectOf, textList } from '../listing.js';
import type { Known, ReadAnswer, ReadRequest } from '../operation.js';
import { sameAddress } from '../receipt.js';
import { canReadReceipts } from '../transaction.js';
import { parametersDiffer, type Difference, type Other } from './difference.js';

/** Instances whose maker is asked for at once; more of one name in one deployment's time are no release. */
const MOST_ASKED = 64;

/**
 * The read that tells which of the instances that may be those of a request its wallet created. Asked only where nothing
 * else tells: the service does not filter by deployment, and no callback names them. With our own contracts, where they are
 * known: when the wallet did not create these, it signs through something else, and the read tells nothing.
 */
export function deployerReads(known: Known, shown: Shown, abilities: Abilities): readonly ReadRequest[] {
  const wallet = textMember(known.context, 'wallet');
  const asked = candidatesOf(known, shown).slice(0, MOST_ASKED);
  if (asked.length === 0 || wallet === undefined || !canReadReceipts(abilities)) return [];
  const addresses = [...asked.map(({ address }) => address), ...ownAddresses(known)];
  return [{ type: 'created', wallet, addresses }];
}

/** The instances that may be those of the request, and those that somebody else made. */
export function byMaker(
  known: Known,
  shown: Shown,
  answer: ReadAnswer | undefined,
): { readonly instances: readonly ShownInstance[]; readonly others: readonly Other[] } {
  const created = objectOf(answer);
  const candidates = new Set(candidatesOf(known, shown));
  const others: Other[] = [];
  const instances = shown.instances.filter((instance) => {
    if (!candidates.has(instance)) return true;
    const [first, ...rest] = differencesOf(instance, known, created);
    if (first === undefined) return true;
    others.push({ what: `contract ${instance.name}`, name: instance.address, differs: [first, ...rest] });
    return false;
  });
  return { instances, others };
}

function differencesOf(
  { name, address, params }: ShownInstance,
  known: Known,
  created: JsonObject | undefined,
): readonly Difference[] {
  const differs: Difference[] = [];
  if (isUsable(created, known) && created?.[address.toLowerCase()] === null) differs.push('sender');
  const same = contractsOf(known.context).filter((contract) => contract.name === name);
  const isAnyOfThem = same.some(({ id }) => !parametersDiffer(sentParams(known, id), params));
  if (same.length > 0 && !isAnyOfThem) differs.push('parameters');
  return differs;
}

/** False when the wallet did not create what it certainly deployed: something else signs for it. */
function isUsable(created: JsonObject | undefined, known: Known): boolean {
  return created !== undefined && ownAddresses(known).every((own) => created[own.toLowerCase()] !== null);
}

function sentParams({ inputs }: Known, id: string): JsonObject {
  const params: Json | undefined = member(inputs?.[id as keyof typeof inputs], 'params');
  return isJsonObject(params) ? params : UNKNOWN;
}

/** Parameters that are not known differ from none. */
const UNKNOWN: JsonObject = { '': { $placeholder: [{ ref: 'deployment.unknown' }] } };

function ownAddresses({ made = [] }: Known): readonly string[] {
  return made.flatMap((outputs) => outputs.address ?? []);
}

/** Instances of our names that nothing assigns to a request yet. */
function candidatesOf(known: Known, { instances, scoped }: Shown): readonly ShownInstance[] {
  if (scoped || textList(known.context['predicted']).size > 0) return [];
  const contracts = contractsOf(known.context);
  const claims = contracts.flatMap(({ artifact }) => claimedContracts(known, artifact));
  return instances.filter(
    ({ name, address }) =>
      contracts.some((contract) => contract.name === name) &&
      !claims.some((claim) => sameAddress(claim.address, address)),
  );
}
