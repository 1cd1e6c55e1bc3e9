import { textMember, type JsonObject } from '../model/json.js';
import { shownInstances, type ShownInstance } from './constructor.js';
import { callbackAbout, claimedContracts, contractsOf } from './deployment-claim.js';
import type { Abilities } from './kind.js';
import { itemsOf, objectOf, textList } from './listing.js';
import type { Known, ReadAnswer, ReadRequest } from './operation.js';
import { sameAddress } from './receipt.js';
import { canReadReceipts } from './transaction.js';

/** Everything that was read, taken apart. */
export interface Shown {
  readonly detail: JsonObject | undefined;
  /**
   * Instances that were not there before the request and belong to no other attempt. Of what was signed here, only those
   * at the addresses that its nonces give: whatever else is there, another request made.
   */
  readonly instances: readonly ShownInstance[];
  /** The instances are those of this deployment alone. */
  readonly scoped: boolean;
  /** Contracts without events are among them. */
  readonly whole: boolean;
  /** Answers to the receipts or codes that were asked for. */
  readonly rest: readonly ReadAnswer[];
}

/** The version, and the list of instances where the service has one: of the deployment alone, once it is known. */
export function platformReads(
  known: Known,
  { capabilities }: Abilities,
): { readonly detail: ReadRequest; readonly list: ReadRequest | undefined } {
  const projectSlug = textMember(known.context, 'projectSlug') ?? '';
  const versionSlug = textMember(known.context, 'versionSlug') ?? '';
  const detail: ReadRequest = {
    type: 'service',
    endpoint: 'version.detail',
    params: { projectSlug, versionSlug },
  };
  if (!capabilities.has('instances')) return { detail, list: undefined };
  const id = textMember(known.ids, 'deploymentId');
  const query = id === undefined ? { 'filter-version': versionSlug } : { 'filter-deployment_id': id };
  return { detail, list: { type: 'service', endpoint: 'instance.list', query } };
}

/** True after word of success, which the list and receipts will bear out: the version grows with each deployment. */
export function asksVersionLast(known: Known, { capabilities }: Abilities): boolean {
  return capabilities.has('instances') && callbackAbout(known, 'success') !== undefined;
}

/** Code at addresses predicted by us, or the receipts that callbacks named. */
export function chainReads(known: Known, abilities: Abilities): readonly ReadRequest[] {
  const predicted = [...textList(known.context['predicted'])];
  if (predicted.length > 0)
    return abilities.chain ? predicted.map((address) => ({ type: 'code', address })) : [];
  if (!canReadReceipts(abilities)) return [];
  const hashes = contractsOf(known.context).flatMap(({ artifact }) =>
    claimedContracts(known, artifact).flatMap(({ hash }) => hash ?? []),
  );
  return [...new Set(hashes)].map((hash) => ({ type: 'receipt', hash }));
}

/** Takes the answers to these reads apart. */
export function takeApart(known: Known, answers: readonly ReadAnswer[], abilities: Abilities): Shown {
  const before = new Set([...textList(known.context['before'])].map((address) => address.toLowerCase()));
  const { detail: version, list, rest } = sort(known, answers, abilities);
  const detail = objectOf(version);
  const all = list?.type === 'found' ? listedInstances(list) : shownInstances(detail ?? {});
  const fresh = all.filter(({ address }) => !before.has(address.toLowerCase()) && !known.isTaken(address));
  const predicted = [...textList(known.context['predicted'])];
  const mayBeOurs = ({ address }: ShownInstance): boolean =>
    predicted.length === 0 || predicted.some((own) => sameAddress(own, address));
  return {
    detail,
    instances: fresh.filter(mayBeOurs),
    scoped: list?.type === 'found' && known.ids['deploymentId'] !== undefined,
    whole: list?.type === 'found',
    rest,
  };
}

/** The answers by what they are about. */
function sort(
  known: Known,
  answers: readonly ReadAnswer[],
  abilities: Abilities,
): {
  readonly detail: ReadAnswer | undefined;
  readonly list: ReadAnswer | undefined;
  readonly rest: readonly ReadAnswer[];
} {
  const chain = chainReads(known, abilities).length;
  if (!abilities.capabilities.has('instances'))
    return { detail: answers[0], list: undefined, rest: answers.slice(1, 1 + chain) };
  if (!asksVersionLast(known, abilities))
    return { detail: answers[0], list: answers[1], rest: answers.slice(2, 2 + chain) };
  const end = 1 + chain;
  return { detail: answers[end], list: answers[0], rest: answers.slice(1, end) };
}

function listedInstances(answer: ReadAnswer): readonly ShownInstance[] {
  return itemsOf(answer).flatMap((item) => {
    const name = textMember(item, 'contract_name');
    const address = textMember(item, 'contract_address');
    const params = item['deployment_params'];
    return name === undefined || address === undefined
      ? []
      : [{ name, address, ...(params !== undefined && { params }) }];
  });
}
