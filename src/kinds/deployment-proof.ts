import type { ResourceId } from '../model/id.js';
import { textMember, type JsonObject } from '../model/json.js';
import type { Grade, Outputs } from '../state/event.js';
import { shownInstances, type ShownInstance } from './constructor.js';
import {
  callbackAbout,
  claimedContracts,
  contractsOf,
  type Claim,
  type Deployed,
} from './deployment-claim.js';
import { failedDeployment, newError } from './deployment-failure.js';
import type { Abilities } from './kind.js';
import { itemsOf, objectOf, only, textList } from './listing.js';
import { undecidedAmong, type Known, type ReadAnswer, type ReadRequest, type Verdict } from './operation.js';
import { readReceipt, sameAddress, type ReceiptFacts } from './receipt.js';
import { canReadReceipts } from './transaction.js';

/** A contract that is proven to be there. */
interface Sighting {
  readonly id: ResourceId;
  readonly outputs: Outputs;
  readonly grade: Grade;
}

/** Everything that was read, taken apart. */
interface Shown {
  readonly detail: JsonObject | undefined;
  /** Instances that were not there before the request and belong to no other attempt. */
  readonly instances: readonly ShownInstance[];
  /** The instances are those of this deployment alone. */
  readonly scoped: boolean;
  /** Contracts without events are among them. */
  readonly whole: boolean;
  /** Answers to the receipts or codes that were asked for. */
  readonly rest: readonly ReadAnswer[];
}

/**
 * Reads that show what a deploy request made, all at once: the version (its error and instances), the instances of the
 * deployment where the service filters so, code at addresses predicted by us or the receipts that callbacks named.
 * After word of success the version, which shows errors and grows with each deployment, is asked only when the
 * rest does not prove it.
 */
export function proveDeployment(
  known: Known,
  answers: readonly ReadAnswer[],
  abilities: Abilities,
): readonly ReadRequest[] {
  const { detail, list } = platformReads(known, abilities);
  const chain = chainReads(known, abilities);
  if (list === undefined) return answers.length > 0 ? [] : [detail, ...chain];
  if (!asksVersionLast(known, abilities)) return answers.length > 0 ? [] : [detail, list, ...chain];
  if (answers.length === 0) return [list, ...chain];
  const isProven = judgeDeployment(known, answers, abilities).type === 'confirmed';
  return isProven || answers.length > 1 + chain.length ? [] : [detail];
}

function asksVersionLast(known: Known, { capabilities }: Abilities): boolean {
  return capabilities.has('instances') && callbackAbout(known, 'success') !== undefined;
}

function chainReads(known: Known, abilities: Abilities): readonly ReadRequest[] {
  const predicted = [...textList(known.context['predicted'])];
  if (predicted.length > 0)
    return abilities.chain ? predicted.map((address) => ({ type: 'code', address })) : [];
  if (!canReadReceipts(abilities)) return [];
  const hashes = contractsOf(known.context).flatMap(({ artifact }) =>
    claimedContracts(known, artifact).flatMap(({ hash }) => hash ?? []),
  );
  return [...new Set(hashes)].map((hash) => ({ type: 'receipt', hash }));
}

/** Confirmed when every contract of the request has its own new instance; failed when the service shows an error and fewer. */
export function judgeDeployment(known: Known, answers: readonly ReadAnswer[], abilities: Abilities): Verdict {
  const contracts = contractsOf(known.context);
  const shown = takeApart(known, answers, abilities);
  const predicted = predictedOutputs(known, contracts, shown.rest);
  if (predicted !== undefined) return { type: 'confirmed', grade: 'A', outputs: predicted };
  const found = contracts.flatMap((contract) => sightContract(contract, known, shown, abilities) ?? []);
  const outputs = Object.fromEntries(found.map(({ id, outputs: made }) => [id, made]));
  const grade = found.map((sighting) => sighting.grade).reduce((a, b) => (a > b ? a : b), 'A');
  if (found.length < contracts.length) {
    const failed = failedDeployment(known, shown, outputs);
    if (failed === undefined) return undecidedAmong(shown.instances);
    return { ...failed, grade: grade > failed.grade ? grade : failed.grade };
  }
  return { type: 'confirmed', grade, outputs };
}

function platformReads(
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

function takeApart(known: Known, answers: readonly ReadAnswer[], abilities: Abilities): Shown {
  const before = new Set([...textList(known.context['before'])].map((address) => address.toLowerCase()));
  const { detail: version, list, rest } = sort(known, answers, abilities);
  const detail = objectOf(version);
  const all = list?.type === 'found' ? listedInstances(list) : shownInstances(detail ?? {});
  return {
    detail,
    instances: all.filter(({ address }) => !before.has(address.toLowerCase()) && !known.isTaken(address)),
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
  if (!abilities.capabilities.has('instances'))
    return { detail: answers[0], list: undefined, rest: answers.slice(1) };
  if (!asksVersionLast(known, abilities))
    return { detail: answers[0], list: answers[1], rest: answers.slice(2) };
  const end = 1 + chainReads(known, abilities).length;
  return { detail: answers[end], list: answers[0], rest: answers.slice(1, end) };
}

/**
 * One contract as the platform shows it. Instances of other requests look the same, so an instance counts when it is in
 * this deployment's list, when a callback names it, or when it is the only one and no other request could have made it.
 */
function sightContract(
  contract: Deployed,
  known: Known,
  shown: Shown,
  abilities: Abilities,
): Sighting | undefined {
  const claims = claimedContracts(known, contract.artifact);
  const instance = instanceOf(contract, claims, known, shown);
  if (instance === undefined) {
    const unlisted = !contract.events && !abilities.capabilities.has('instances');
    return unlisted ? sightUnlisted(contract, claims, known, shown) : undefined;
  }
  const proof = receiptFor(shown.rest, instance.address);
  const hash = proof?.hash ?? claims.find(({ address }) => sameAddress(address, instance.address))?.hash;
  const outputs = { address: instance.address, ...(hash !== undefined && { transaction: hash }) };
  return { id: contract.id, outputs, grade: proof?.onChain === true ? 'A' : 'B' };
}

function instanceOf(
  contract: Deployed,
  claims: readonly Claim[],
  known: Known,
  shown: Shown,
): ShownInstance | undefined {
  const named = shown.instances.filter((item) => item.name === contract.name);
  const claimed = named.find((item) => claims.some(({ address }) => sameAddress(address, item.address)));
  if (claimed !== undefined) return claimed;
  return shown.scoped || !hasRival(contract, known) ? only(named) : undefined;
}

/**
 * A contract without events, which the version's detail does not list: only a callback tells its address. Its receipt
 * proves it when the deploying wallet signed it; without receipts it counts once the version shows that it was deployed,
 * or the error that the same callback tells.
 */
function sightUnlisted(
  { id }: Deployed,
  claims: readonly Claim[],
  known: Known,
  { rest, detail }: Shown,
): Sighting | undefined {
  const free = claims.filter(({ address }) => !known.isTaken(address));
  for (const { address } of free) {
    const proof = receiptFor(rest, address);
    if (proof !== undefined && sameAddress(proof.from, textMember(known.context, 'wallet')))
      return { id, outputs: { address, transaction: proof.hash }, grade: proof.onChain ? 'A' : 'B' };
  }
  const [claim] = rest.length === 0 ? free : [];
  if (claim === undefined || !isBornOut(known, detail)) return undefined;
  const hash = claim.hash === undefined ? {} : { transaction: claim.hash };
  return { id, outputs: { address: claim.address, ...hash }, grade: 'C' };
}

/** True when the version shows what the callback about this deployment says: that it was deployed, or its error. */
function isBornOut(known: Known, detail: JsonObject | undefined): boolean {
  const deployedAt = textMember(detail, 'last_deployed_at') ?? null;
  const moved = deployedAt !== null && deployedAt !== known.context['deployedBefore'];
  if (moved && callbackAbout(known, 'success') !== undefined) return true;
  const failure = callbackAbout(known, 'failed');
  return failure !== undefined && newError(known, detail, failure) !== undefined;
}

function hasRival({ name }: Deployed, known: Known): boolean {
  return known
    .rivals()
    .filter((rival) => rival.open && rival.context['versionSlug'] === known.context['versionSlug'])
    .some((rival) => contractsOf(rival.context).some((other) => other.name === name));
}

/** Contracts signed locally: code at every predicted address is proof. */
function predictedOutputs(
  known: Known,
  contracts: readonly Deployed[],
  codes: readonly ReadAnswer[],
): Readonly<Record<ResourceId, Outputs>> | undefined {
  const addresses = [...textList(known.context['predicted'])];
  if (addresses.length !== contracts.length || codes.length < addresses.length) return undefined;
  if (!codes.every(fromChain) || addresses.some((address) => known.isTaken(address))) return undefined;
  return Object.fromEntries(contracts.map(({ id }, index) => [id, { address: addresses[index] ?? '' }]));
}

function listedInstances(answer: ReadAnswer): readonly ShownInstance[] {
  return itemsOf(answer).flatMap((item) => {
    const name = textMember(item, 'contract_name');
    const address = textMember(item, 'contract_address');
    return name === undefined || address === undefined ? [] : [{ name, address }];
  });
}

/** The successful receipt that created the contract at an address. */
function receiptFor(
  answers: readonly ReadAnswer[],
  address: string,
): (ReceiptFacts & { readonly onChain: boolean }) | undefined {
  for (const answer of answers) {
    const receipt = answer.type === 'found' ? readReceipt(answer.value) : undefined;
    if (receipt?.succeeded === true && sameAddress(receipt.contractAddress, address))
      return { ...receipt, onChain: fromChain(answer) };
  }
  return undefined;
}

function fromChain(answer: ReadAnswer): boolean {
  return answer.type === 'found' && answer.source === 'chain';
}
