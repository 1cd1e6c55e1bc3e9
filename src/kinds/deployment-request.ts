import { invariant } from '../model/error.js';
import type { ResourceId } from '../model/id.js';
import { textMember, type Json, type JsonObject } from '../model/json.js';
import type { InputsOf, Resource } from '../model/resource.js';
import { fillPlaceholders, publicView } from '../model/value.js';
import {
  artifactProblem,
  compiledContracts,
  parameterProblem,
  shownInstances,
  type CompiledContract,
} from './constructor.js';
import { artifactFor, sourcesToRead } from './artifact-choice.js';
import { contract, type DeployedInputs } from './contract.js';
import { settledAddress } from './knowledge.js';
import { itemsOf, objectOf, textList, textsOf } from './listing.js';
import type { Prepared, ReadAnswer, ReadRequest, StepView } from './operation.js';

type Deploying = Resource<'contract'> & { readonly inputs: DeployedInputs };

/** Reads before a deploy request: the version's artifacts and instances, and the account that signs locally. */
export function prepareDeployment(view: StepView, answers: readonly ReadAnswer[]): readonly ReadRequest[] {
  const [first] = contractsOf(view);
  const path = versionPath(view);
  const state = stateReads(view, path);
  if (answers.length === 0) return state;
  if (answers.length > state.length) return [];
  const { wallet } = first.inputs;
  const files = sourceReads(view, answers[0]);
  if (wallet.type !== 'non_custodial' || wallet.signer === undefined) return files;
  return [...files, { type: 'account', address: wallet.address, count: view.resources.length }];
}

/** The sources of artifacts that are not told apart by their names. */
function sourceReads(view: StepView, detail: ReadAnswer | undefined): readonly ReadRequest[] {
  const artifacts = compiledContracts(objectOf(detail) ?? {});
  return sourcesToRead(
    contractsOf(view).map(({ inputs }) => inputs),
    artifacts,
  ).map((url) => ({ type: 'file', url }));
}

/** The version and, where the service lists instances, those of the version: contracts without events are only there. */
function stateReads({ knowledge }: StepView, path: VersionPath): readonly ReadRequest[] {
  const detail: ReadRequest = { type: 'service', endpoint: 'version.detail', params: path };
  if (!knowledge.abilities.capabilities.has('instances')) return [detail];
  const query = { 'filter-version': path.versionSlug };
  return [detail, { type: 'service', endpoint: 'instance.list', query, growing: true }];
}

/** Why an artifact cannot be deployed so. What was signed elsewhere carries its parameters: the plan need not repeat them. */
function deployProblem(artifact: CompiledContract, inputs: DeployedInputs): string | undefined {
  if (inputs.signedTransaction !== undefined) return artifactProblem(artifact);
  return artifactProblem(artifact) ?? parameterProblem(artifact, inputs.params);
}

/** Builds the deploy request from the version's artifacts; refuses parameters that the ABI does not take. */
export function requestDeployment(view: StepView, answers: readonly ReadAnswer[]): Prepared {
  const path = versionPath(view);
  const state = stateReads(view, path).length;
  const detail = objectOf(answers[0]);
  if (detail === undefined || answers.slice(0, state).some(({ type }) => type !== 'found'))
    return refused('the version cannot be read, so its artifacts and instances are not known');
  const parts: Part[] = [];
  const artifacts = compiledContracts(detail);
  const urls = sourceReads(view, answers[0]).flatMap((read) => (read.type === 'file' ? [read.url] : []));
  const texts = new Map(urls.map((url, index) => [url, answers[state + index]] as const));
  for (const [index, resource] of contractsOf(view).entries()) {
    const artifact = artifactFor(resource.inputs, artifacts, texts);
    if (typeof artifact === 'string') return refused(artifact);
    const problem = deployProblem(artifact, resource.inputs);
    if (problem !== undefined) return refused(problem);
    parts.push({ resource, artifact, index });
  }
  const account = objectOf(answers[state + urls.length]);
  const { wallet } = contractsOf(view)[0].inputs;
  if (wallet.type === 'non_custodial' && wallet.signer !== undefined && account === undefined)
    return refused('the account that signs cannot be read, so its nonce is not known');
  const address = settledAddress(view, wallet.address);
  return {
    type: 'write',
    request: {
      endpoint: 'version.deploy',
      params: path,
      body: {
        wallet_options: { type: wallet.type, address },
        deployment_params: parts.map((part) => deploymentParam(view, part, account)),
      },
      takesCallback: wallet.type !== 'non_custodial',
    },
    context: {
      ...path,
      wallet: address,
      ...preImage(parts, detail, state > 1 ? answers[1] : undefined),
      ...(account !== undefined && { predicted: account['creates'] ?? [] }),
    },
    inputs: Object.fromEntries(parts.map(({ resource }) => [resource.id, lockedInputs(view, resource)])),
  };
}

/** One contract of the request with its artifact; `index` is its place. */
interface Part {
  readonly resource: Deploying;
  readonly artifact: CompiledContract;
  readonly index: number;
}

/** What the version and its instances showed before the request, and which artifacts it asks for. */
function preImage(parts: readonly Part[], detail: JsonObject, instances: ReadAnswer | undefined): JsonObject {
  return {
    contracts: parts.map(({ resource, artifact }) => ({
      id: resource.id,
      name: artifact.name,
      artifact: artifact.artifactId,
      events: artifact.abi.some((item) => item['type'] === 'event'),
    })),
    before: [
      ...shownInstances(detail).map((instance) => instance.address),
      ...textsOf(itemsOf(instances), 'contract_address'),
    ],
    errorBefore: textMember(detail, 'latest_error') ?? '',
    updatedBefore: textMember(detail, 'updated_at') ?? null,
    deployedBefore: textMember(detail, 'last_deployed_at') ?? null,
  };
}

function deploymentParam(view: StepView, part: Part, account: JsonObject | undefined): JsonObject {
  const { inputs } = part.resource;
  const common = { sc_artifact_id: part.artifact.artifactId, order: part.index + 1 };
  if (inputs.wallet.type === 'non_custodial') {
    if (inputs.signedTransaction !== undefined)
      return { ...common, signed_trx: { $text: inputs.signedTransaction } };
    return { ...common, signed_trx: { $signed: unsigned(view, part, account) } };
  }
  const params = fillPlaceholders(
    inputs.params,
    (id) => siblingToken(view, id, part.index) ?? view.addressOf(id),
  );
  return { ...common, params: Object.keys(inputs.params).length === 0 ? null : params };
}

/** The service's own token for a contract of the same request; it knows contracts by their Solidity name. */
function siblingToken(view: StepView, id: ResourceId, place: number): string | undefined {
  const at = contractsOf(view).findIndex((resource) => resource.id === id);
  const sibling = contractsOf(view)[at];
  // A token of what comes later may lead to a contract of another deployment.
  invariant(at < place, 'a contract is deployed before those that take its address');
  return sibling && `{${sibling.inputs.contract}_ADDRESS}`;
}

function unsigned(
  view: StepView,
  { resource, artifact, index }: Part,
  account: JsonObject | undefined,
): JsonObject {
  const facts = account ?? {};
  const creates = [...textList(facts['creates'])];
  const siblings = contractsOf(view).map((sibling) => sibling.id);
  const { wallet } = resource.inputs;
  invariant(wallet.type === 'non_custodial' && wallet.signer !== undefined, 'only local signers sign here');
  return {
    from: wallet.address,
    nonce: Number(facts['nonce']) + index,
    chainId: facts['chainId'] ?? null,
    gasPrice: facts['gasPrice'] ?? '0',
    abi: artifact.abi,
    bytecode: artifact.bytecode,
    params: fillPlaceholders(
      resource.inputs.params,
      (id) => creates[siblings.indexOf(id)] ?? view.addressOf(id),
    ),
    signer: wallet.signer,
  };
}

/** Inputs as the lock keeps them. Siblings of the request stay placeholders: their addresses come with the outcome. */
function lockedInputs(view: StepView, resource: Deploying): Json {
  const siblings = new Set(view.resources.map(({ id }) => id));
  const inputs = contract.comparable(resource);
  return publicView(fillPlaceholders(inputs, (id) => (siblings.has(id) ? undefined : view.addressOf(id))));
}

interface VersionPath extends Readonly<Record<string, string>> {
  readonly projectSlug: string;
  readonly versionSlug: string;
}

function versionPath(view: StepView): VersionPath {
  const [{ inputs }] = contractsOf(view);
  const declared = view.knowledge.resource(inputs.version)?.inputs as InputsOf['version'] | undefined;
  const project = declared && view.knowledge.resource(declared.project);
  const projectSlug =
    (declared && textMember(view.knowledge.outputs(declared.project), 'slug')) ??
    (project?.inputs as InputsOf['project'] | undefined)?.slug;
  const versionSlug = textMember(view.knowledge.outputs(inputs.version), 'slug');
  invariant(
    projectSlug !== undefined && versionSlug !== undefined,
    'the version of a deployment is settled before it',
  );
  return { projectSlug, versionSlug };
}

function contractsOf(view: StepView): readonly [Deploying, ...Deploying[]] {
  const [first, ...rest] = view.resources.filter(
    (item): item is Deploying => item.kind === 'contract' && !('address' in item.inputs),
  );
  invariant(first !== undefined, 'a deploy step has at least one contract');
  return [first, ...rest];
}

function refused(message: string): Prepared {
  return { type: 'refused', code: 'STEP_PARAMS', message };
}
