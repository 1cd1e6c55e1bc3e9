import type { ResourceId } from '../model/id.js';
import { member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Outputs } from '../state/event.js';
import { shownInstances } from './constructor.js';
import type { Abilities } from './kind.js';
import { itemsOf, objectOf, textList } from './listing.js';
import type { Known, ReadAnswer, ReadRequest, Verdict } from './operation.js';
import { readReceipt, sameAddress } from './receipt.js';
import { canReadReceipts } from './transaction.js';

interface Deployed {
  readonly id: ResourceId;
  readonly name: string;
  readonly artifact: number | undefined;
}

interface Instance {
  readonly name: string;
  readonly address: string;
}

/**
 * Reads that show what a deploy request made: the instances of the version (by deployment where the service
 * filters so), then the receipts that the callback named.
 */
export function proveDeployment(
  known: Known,
  answers: readonly ReadAnswer[],
  abilities: Abilities,
): readonly ReadRequest[] {
  if (answers.length === 0) return [instanceRead(known, abilities)];
  if (answers.length > 1) return [];
  const predicted = [...textList(known.context['predicted'])];
  if (predicted.length > 0)
    return abilities.chain ? predicted.map((address) => ({ type: 'code', address })) : [];
  if (!canReadReceipts(abilities)) return [];
  return claimed(known).flatMap(({ hash }) =>
    hash === undefined ? [] : [{ type: 'receipt', hash } as const],
  );
}

/** Confirmed when every contract of the request has its own new instance; failed when the service says so and shows fewer. */
export function judgeDeployment(known: Known, answers: readonly ReadAnswer[], abilities: Abilities): Verdict {
  const contracts = deployedContracts(known.context);
  const predicted = predictedOutputs(known, contracts, answers.slice(1));
  if (predicted !== undefined) return { type: 'confirmed', grade: 'A', outputs: predicted };
  const found = contracts.flatMap((contract) => {
    const sighting = sightContract(contract, known, answers, abilities);
    return sighting === undefined ? [] : [{ id: contract.id, ...sighting }];
  });
  const outputs = Object.fromEntries(found.map(({ id, outputs: made }) => [id, made]));
  if (found.length < contracts.length) return failure(known, answers[0], outputs) ?? { type: 'wait' };
  return { type: 'confirmed', grade: found.every(({ onChain }) => onChain) ? 'A' : 'B', outputs };
}

/** One contract as proven by the receipt that the callback named, else by the platform's instances. */
function sightContract(
  contract: Deployed,
  known: Known,
  answers: readonly ReadAnswer[],
  abilities: Abilities,
): { readonly outputs: Outputs; readonly onChain: boolean } | undefined {
  const claim = claimed(known).find((item) => item.id === contract.id);
  const { receipt, onChain } = receiptOf(answers.slice(1), claim?.hash);
  if (
    receipt?.succeeded === true &&
    receipt.contractAddress !== undefined &&
    sameAddress(receipt.contractAddress, claim?.address)
  ) {
    return { outputs: { address: receipt.contractAddress, transaction: receipt.hash }, onChain };
  }
  const listed = newInstances(known, answers[0], abilities).find(
    (item) =>
      item.name === contract.name && (claim === undefined || sameAddress(item.address, claim.address)),
  );
  if (listed === undefined) return undefined;
  const transaction = claim?.hash === undefined ? {} : { transaction: claim.hash };
  return { outputs: { address: listed.address, ...transaction }, onChain: false };
}

/** Contracts signed locally: code at every predicted address is proof. */
function predictedOutputs(
  known: Known,
  contracts: readonly Deployed[],
  codes: readonly ReadAnswer[],
): Readonly<Record<ResourceId, Outputs>> | undefined {
  const addresses = [...textList(known.context['predicted'])];
  if (addresses.length === 0 || codes.length < addresses.length || !codes.every(fromChain)) return undefined;
  return Object.fromEntries(contracts.map(({ id }, index) => [id, { address: addresses[index] ?? '' }]));
}

function failure(
  known: Known,
  answer: ReadAnswer | undefined,
  outputs: Readonly<Record<ResourceId, Outputs>>,
): Verdict | undefined {
  const hint = known.callbacks.find((item) => item.claim === 'failed');
  const deploymentId = textMember(known.ids, 'deploymentId');
  const ours = hint !== undefined && textMember(hint.facts, 'deployment_id') === deploymentId;
  const told = textMember(hint?.facts, 'message');
  const error = textMember(objectOf(answer), 'latest_error') ?? '';
  const shownError = error !== '' && error !== known.context['errorBefore'];
  if (ours && (answer?.type === 'found' || known.late))
    return { type: 'failed', grade: 'B', message: told ?? error, outputs };
  if (shownError && known.outcome === 'accepted')
    return { type: 'failed', grade: 'B', message: error, outputs };
  return undefined;
}

function instanceRead(known: Known, abilities: Abilities): ReadRequest {
  const projectSlug = textMember(known.context, 'projectSlug') ?? '';
  const versionSlug = textMember(known.context, 'versionSlug') ?? '';
  const deploymentId = textMember(known.ids, 'deploymentId');
  if (abilities.capabilities.has('instances') && deploymentId !== undefined && !claimsFailure(known)) {
    return { type: 'service', endpoint: 'instance.list', query: { 'filter-deployment_id': deploymentId } };
  }
  return { type: 'service', endpoint: 'version.detail', params: { projectSlug, versionSlug } };
}

function claimsFailure(known: Known): boolean {
  return known.callbacks.some((hint) => hint.claim === 'failed');
}

/** Instances that were not there before the request. */
function newInstances(
  known: Known,
  answer: ReadAnswer | undefined,
  abilities: Abilities,
): readonly Instance[] {
  const before = new Set([...textList(known.context['before'])].map((address) => address.toLowerCase()));
  const filtered =
    abilities.capabilities.has('instances') &&
    known.ids['deploymentId'] !== undefined &&
    !claimsFailure(known);
  const shown = filtered ? listedInstances(answer) : shownInstances(objectOf(answer) ?? {});
  return shown.filter((instance) => !before.has(instance.address.toLowerCase()));
}

function listedInstances(answer: ReadAnswer | undefined): readonly Instance[] {
  return itemsOf(answer).flatMap((item) => {
    const name = textMember(item, 'contract_name');
    const address = textMember(item, 'contract_address');
    return name === undefined || address === undefined ? [] : [{ name, address }];
  });
}

/** What callbacks say was deployed, matched to the request's contracts by artifact. */
function claimed(
  known: Known,
): readonly { readonly id: ResourceId; readonly address: string; readonly hash: string | undefined }[] {
  const contracts = deployedContracts(known.context);
  const entries = known.callbacks.flatMap((hint) => list(hint.facts['deployed_contract_addresses']));
  return contracts.flatMap((contract) => {
    const entry = entries.find((item) => item['sc_artifact_id'] === contract.artifact);
    const address = textMember(entry, 'contract_address');
    return address === undefined
      ? []
      : [{ id: contract.id, address, hash: textMember(member(entry, 'receipt'), 'transactionHash') }];
  });
}

function deployedContracts(context: JsonObject): readonly Deployed[] {
  return list(context['contracts']).flatMap((item) => {
    const id = textMember(item, 'id');
    const name = textMember(item, 'name');
    const artifact = item['artifact'];
    if (id === undefined || name === undefined) return [];
    return [{ id: id as ResourceId, name, artifact: typeof artifact === 'number' ? artifact : undefined }];
  });
}

function receiptOf(
  answers: readonly ReadAnswer[],
  hash: string | undefined,
): { readonly receipt: ReturnType<typeof readReceipt>; readonly onChain: boolean } {
  for (const answer of answers) {
    const receipt = answer.type === 'found' ? readReceipt(answer.value) : undefined;
    if (receipt !== undefined && sameAddress(receipt.hash, hash))
      return { receipt, onChain: fromChain(answer) };
  }
  return { receipt: undefined, onChain: false };
}

function fromChain(answer: ReadAnswer): boolean {
  return answer.type === 'found' && answer.source === 'chain';
}

function list(value: Json | undefined): readonly JsonObject[] {
  return itemsOf({ type: 'found', value: value ?? null, source: 'read' });
}
