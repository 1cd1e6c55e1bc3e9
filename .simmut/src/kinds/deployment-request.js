import { invariant } from '../model/error.js';
import { textMember } from '../model/json.js';
import { fillPlaceholders, publicView } from '../model/value.js';
import { artifactProblem, compiledContracts, parameterProblem, shownInstances, } from './constructor.js';
import { contract } from './contract.js';
import { settledAddress } from './knowledge.js';
import { itemsOf, objectOf, textList, textsOf } from './listing.js';
/** Reads before a deploy request: the version's artifacts and instances, and the account that signs locally. */
export function prepareDeployment(view, answers) {
    const [first] = contractsOf(view);
    const path = versionPath(view);
    const state = stateReads(view, path);
    if (answers.length === 0)
        return state;
    const { wallet } = first.inputs;
    if (answers.length > state.length || wallet.type !== 'non_custodial' || wallet.signer === undefined)
        return [];
    return [{ type: 'account', address: wallet.address, count: view.resources.length }];
}
/** The version and, where the service lists instances, those of the version: contracts without events are only there. */
function stateReads({ knowledge }, path) {
    const detail = { type: 'service', endpoint: 'version.detail', params: path };
    if (!knowledge.abilities.capabilities.has('instances'))
        return [detail];
    const query = { 'filter-version': path.versionSlug };
    return [detail, { type: 'service', endpoint: 'instance.list', query, growing: true }];
}
/** Why an artifact cannot be deployed so. What was signed elsewhere carries its parameters: the plan need not repeat them. */
function deployProblem(artifact, inputs) {
    if (inputs.signedTransaction !== undefined)
        return artifactProblem(artifact);
    return artifactProblem(artifact) ?? parameterProblem(artifact, inputs.params);
}
/** Builds the deploy request from the version's artifacts; refuses parameters that the ABI does not take. */
export function requestDeployment(view, answers) {
    const path = versionPath(view);
    const state = stateReads(view, path).length;
    const detail = objectOf(answers[0]);
    if (detail === undefined || answers.slice(0, state).some(({ type }) => type !== 'found'))
        return refused('the version cannot be read, so its artifacts and instances are not known');
    const parts = [];
    for (const [index, resource] of contractsOf(view).entries()) {
        const artifact = compiledContracts(detail).find((item) => item.name === resource.inputs.contract);
        if (artifact === undefined)
            return refused(`the compiled version has no contract ${resource.inputs.contract}`);
        const problem = deployProblem(artifact, resource.inputs);
        if (problem !== undefined)
            return refused(problem);
        parts.push({ resource, artifact, index });
    }
    const account = objectOf(answers[state]);
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
/** What the version and its instances showed before the request, and which artifacts it asks for. */
function preImage(parts, detail, instances) {
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
function deploymentParam(view, part, account) {
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
function siblingToken(view, id) {
    const sibling = contractsOf(view).find((resource) => resource.id === id);
    return sibling && `{${sibling.inputs.contract}_ADDRESS}`;
}
function unsigned(view, { resource, artifact, index }, account) {
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
        params: fillPlaceholders(resource.inputs.params, (id) => creates[siblings.indexOf(id)] ?? view.addressOf(id)),
        signer: wallet.signer,
    };
}
/** Inputs as the lock keeps them. Siblings of the request stay placeholders: their addresses come with the outcome. */
function lockedInputs(view, resource) {
    const siblings = new Set(view.resources.map(({ id }) => id));
    const inputs = contract.comparable(resource);
    return publicView(fillPlaceholders(inputs, (id) => (siblings.has(id) ? undefined : view.addressOf(id))));
}
function versionPath(view) {
    const [{ inputs }] = contractsOf(view);
    const declared = view.knowledge.resource(inputs.version)?.inputs;
    const project = declared && view.knowledge.resource(declared.project);
    const projectSlug = (declared && textMember(view.knowledge.outputs(declared.project), 'slug')) ??
        project?.inputs?.slug;
    const versionSlug = textMember(view.knowledge.outputs(inputs.version), 'slug');
    invariant(projectSlug !== undefined && versionSlug !== undefined, 'the version of a deployment is settled before it');
    return { projectSlug, versionSlug };
}
function contractsOf(view) {
    const [first, ...rest] = view.resources.filter((item) => item.kind === 'contract' && !('address' in item.inputs));
    invariant(first !== undefined, 'a deploy step has at least one contract');
    return [first, ...rest];
}
function refused(message) {
    return { type: 'refused', code: 'STEP_PARAMS', message };
}
