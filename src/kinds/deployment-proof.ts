import type { ResourceId } from '../model/id.js';
import { textMember, type JsonObject } from '../model/json.js';
import type { Grade, Outputs } from '../state/event.js';
import type { ShownInstance } from './constructor.js';
import {
  callbackAbout,
  claimedContracts,
  contractsOf,
  type Claim,
  type Deployed,
} from './deployment-claim.js';
import { failedDeployment, newError } from './deployment-failure.js';
import { asksVersionLast, chainReads, platformReads, takeApart, type Shown } from './deployment-reads.js';
import type { Abilities } from './kind.js';
import { byMaker, deployerReads } from './maker/deployer.js';
import { only, textList } from './listing.js';
import { undecidedAmong, type Known, type ReadAnswer, type ReadRequest, type Verdict } from './operation.js';
import { readReceipt, sameAddress, type ReceiptFacts } from './receipt.js';

/** A contract that is proven to be there. */
interface Sighting {
  readonly id: ResourceId;
  readonly outputs: Outputs;
  readonly grade: Grade;
}

/**
 * Reads that show what a deploy request made, all at once: the version (its error and instances), the instances of the
 * deployment where the service filters so, code at addresses predicted by us or the receipts that callbacks named.
 * After word of success the version, which shows errors and grows with each deployment, is asked only when the
 * rest does not prove it. Where instances may be of other requests, last who made them.
 */
export function proveDeployment(
  known: Known,
  answers: readonly ReadAnswer[],
  abilities: Abilities,
): readonly ReadRequest[] {
  const { detail, list } = platformReads(known, abilities);
  const chain = chainReads(known, abilities);
  if (!asksVersionLast(known, abilities) || list === undefined) {
    const first = [detail, ...(list === undefined ? [] : [list]), ...chain];
    if (answers.length === 0) return first;
    const shown = takeApart(known, answers.slice(0, first.length), abilities);
    return answers.length > first.length ? [] : deployerReads(known, shown, abilities);
  }
  if (answers.length === 0) return [list, ...chain];
  const isProven = judgeDeployment(known, answers, abilities).type === 'confirmed';
  return isProven || answers.length > 1 + chain.length ? [] : [detail];
}

/** Confirmed when every contract of the request has its own new instance; failed when the service shows an error and fewer. */
export function judgeDeployment(known: Known, answers: readonly ReadAnswer[], abilities: Abilities): Verdict {
  const contracts = contractsOf(known.context);
  const shown = takeApart(known, answers, abilities);
  const predicted = predictedOutputs(known, contracts, shown.rest);
  if (predicted !== undefined) return { type: 'confirmed', grade: 'A', outputs: predicted };
  const { instances, others } = byMaker(known, shown, makerAnswer(known, answers, abilities));
  const own = { ...shown, instances };
  const found = contracts.flatMap((contract) => sightContract(contract, known, own, abilities) ?? []);
  const outputs = Object.fromEntries(found.map(({ id, outputs: made }) => [id, made]));
  const grade = found.map((sighting) => sighting.grade).reduce((a, b) => (a > b ? a : b), 'A');
  if (found.length < contracts.length) {
    const failed = failedDeployment(known, shown, outputs);
    // Only of what is settled may be said that it is somebody else's: then nothing is sent for it.
    if (failed === undefined)
      return undecidedAmong(ofNames(contracts, known.surplus ? instances : shown.instances), others);
    return { ...failed, grade: grade > failed.grade ? grade : failed.grade };
  }
  return { type: 'confirmed', grade, outputs, ...(others.length > 0 && { others }) };
}

/** Instances that the request may have made at all. */
function ofNames(
  contracts: readonly Deployed[],
  instances: readonly ShownInstance[],
): readonly ShownInstance[] {
  return instances.filter(({ name }) => contracts.some((contract) => contract.name === name));
}

/** The answer to the read of who made the instances; undefined where it was not asked. */
function makerAnswer(
  known: Known,
  answers: readonly ReadAnswer[],
  abilities: Abilities,
): ReadAnswer | undefined {
  if (asksVersionLast(known, abilities)) return undefined;
  const { list } = platformReads(known, abilities);
  return answers[(list === undefined ? 1 : 2) + chainReads(known, abilities).length];
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
