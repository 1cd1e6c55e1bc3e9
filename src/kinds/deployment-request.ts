import { invariant } from '../model/error.js';
import type { ResourceId } from '../model/id.js';
import { member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { InputsOf, Resource } from '../model/resource.js';
import { fillPlaceholders, publicView } from '../model/value.js';
import { compiledContracts, parameterProblem, shownInstances, type CompiledContract } from './constructor.js';
import { contract, type DeployedInputs } from './contract.js';
import { settledAddress } from './knowledge.js';
import { objectOf, textList } from './listing.js';
import type { Prepared, ReadAnswer, ReadRequest, StepView } from './operation.js';

type Deploying = Resource<'contract'> & { readonly inputs: DeployedInputs };

/** Reads before a deploy request: the version's artifacts and instances, and the account that signs locally. */
export function prepareDeployment(view: StepView, answers: readonly ReadAnswer[]): readonly ReadRequest[] {
  const [first] = contractsOf(view);
  if (answers.length === 0)
    return [{ type: 'service', endpoint: 'version.detail', params: versionPath(view) }];
  const { wallet } = first.inputs;
  if (answers.length > 1 || wallet.type !== 'non_custodial' || wallet.signer === undefined) return [];
  return [{ type: 'account', address: wallet.address, count: view.resources.length }];
}

/** Builds the deploy request from the version's artifacts; refuses parameters that the ABI does not take. */
export function requestDeployment(view: StepView, [detailAnswer, account]: readonly ReadAnswer[]): Prepared {
  const detail = objectOf(detailAnswer);
  if (detail === undefined) return refused('the version cannot be read, so its artifacts are not known');
  const parts: Part[] = [];
  for (const [index, resource] of contractsOf(view).entries()) {
    const artifact = compiledContracts(detail).find((item) => item.name === resource.inputs.contract);
    if (artifact === undefined)
      return refused(`the compiled version has no contract ${resource.inputs.contract}`);
    const problem = parameterProblem(artifact, resource.inputs.params);
    if (problem !== undefined) return refused(problem);
    parts.push({ resource, artifact, index });
  }
  const predicted = member(account?.type === 'found' ? account.value : undefined, 'creates');
  const { wallet } = contractsOf(view)[0].inputs;
  return {
    type: 'write',
    request: {
      endpoint: 'version.deploy',
      params: versionPath(view),
      body: {
        wallet_options: { type: wallet.type, address: settledAddress(view, wallet.address) },
        deployment_params: parts.map((part) => deploymentParam(view, part, account)),
      },
      takesCallback: wallet.type !== 'non_custodial',
    },
    context: {
      ...versionPath(view),
      contracts: parts.map(({ resource, artifact }) => ({
        id: resource.id,
        name: artifact.name,
        artifact: artifact.artifactId,
      })),
      before: shownInstances(detail).map((instance) => instance.address),
      errorBefore: textMember(detail, 'latest_error') ?? '',
      ...(predicted !== undefined && { predicted }),
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

function deploymentParam(view: StepView, part: Part, account: ReadAnswer | undefined): JsonObject {
  const { inputs } = part.resource;
  const common = { sc_artifact_id: part.artifact.artifactId, order: part.index + 1 };
  if (inputs.wallet.type === 'non_custodial') {
    if (inputs.signedTransaction !== undefined)
      return { ...common, signed_trx: { $text: inputs.signedTransaction } };
    return { ...common, signed_trx: { $signed: unsigned(view, part, account) } };
  }
  const params = fillPlaceholders(inputs.params, (id) => siblingToken(view, id) ?? view.addressOf(id));
  return { ...common, params: Object.keys(inputs.params).length === 0 ? null : params };
}

/** The service's own token for a contract of the same request; it knows contracts by their Solidity name. */
function siblingToken(view: StepView, id: ResourceId): string | undefined {
  const sibling = contractsOf(view).find((resource) => resource.id === id);
  return sibling && `{${sibling.inputs.contract}_ADDRESS}`;
}

function unsigned(
  view: StepView,
  { resource, artifact, index }: Part,
  account: ReadAnswer | undefined,
): JsonObject {
  const facts = objectOf(account) ?? {};
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

function versionPath(view: StepView): { readonly projectSlug: string; readonly versionSlug: string } {
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
