import { textMember } from '../model/json.js';
import type { InputsOf, Resource } from '../model/resource.js';
import type { Abilities, Kind, Sighting } from './kind.js';
import { itemsOf, objectOf } from './listing.js';
import { compiledContracts, shownInstances } from './constructor.js';
import { walletLane } from './knowledge.js';
import type { ReadRequest } from './operation.js';
import { sameAddress } from './receipt.js';

/** Inputs of a contract that the plan deploys. */
export type DeployedInputs = Extract<InputsOf['contract'], { deployment: string }>;

/** A contract instance of a deployment. Never changed once there: a difference makes another instance. */
export const contract: Kind<'contract'> = {
  name: 'contract',
  verb: 'deploy',
  irreversible: true,
  isExisting: (resource) => 'address' in resource.inputs,
  comparable: ({ inputs }) =>
    'address' in inputs
      ? { address: inputs.address }
      : {
          contract: inputs.contract,
          ...(inputs.source !== undefined && { source: inputs.source.path }),
          version: inputs.version,
          wallet: { type: inputs.wallet.type, address: inputs.wallet.address },
          params: inputs.params,
        },
  observe: ({ entry, knowledge, answers, resource }) => {
    const address = entry?.outputs.address;
    if (address === undefined || answers.length > 0) return [];
    if (knowledge.abilities.chain) return [{ type: 'code', address }];
    return instanceReads(resource, knowledge);
  },
  seen: (sight) => {
    const [answer] = sight.answers;
    if (sight.entry === undefined || answer === undefined) return { sight: 'not-asked' };
    if (answer.type === 'unreadable') return { sight: 'unreadable', unreadable: answer.message };
    if (isShown(sight)) return { sight: 'present' };
    return canBeShown(sight)
      ? { sight: 'absent' }
      : { sight: 'unreadable', unreadable: 'capability instances or rpc_url' };
  },
  differs: (_resource, fields) => ({
    action: 'replace',
    reason: fields.some((field) => field.path === 'version')
      ? 'comes from another version: a new instance is deployed, the old one stays on the chain'
      : 'a deployed contract cannot be changed: a new instance is deployed, the old one stays on the chain',
  }),
  provable: () => true,
  lacks: ({ inputs }, abilities) => {
    if ('address' in inputs || inputs.wallet.type !== 'non_custodial' || !('signer' in inputs.wallet))
      return undefined;
    if (canReadAccounts(abilities)) return undefined;
    return {
      reason: 'nothing here tells the nonce, chain id and gas price of the transaction that is signed here',
      fix: 'give the environment rpc_url, or the capabilities receipts and utils; or bring signed_trx',
    };
  },
  operation: () => 'contract.deploy',
  lane: ({ inputs }) => ('address' in inputs ? '' : walletLane(inputs.wallet.address)),
  // A local signer's next nonce, and instances that no filter and no callback assigns to a request, are known only
  // while nothing else is under way.
  exclusive: ({ inputs }, { capabilities, callbacks }) =>
    !('address' in inputs) &&
    (inputs.wallet.type === 'non_custodial' || !callbacks || !capabilities.has('instances')),
};

/** True where the state of an account can be had before it signs: from a node, or from the service. */
function canReadAccounts({ chain, capabilities }: Abilities): boolean {
  return chain || (capabilities.has('receipts') && capabilities.has('utils'));
}

function instanceReads(
  resource: Resource<'contract'>,
  knowledge: Sighting['knowledge'],
): readonly ReadRequest[] {
  if ('address' in resource.inputs) return [];
  const versionSlug = textMember(knowledge.outputs(resource.inputs.version), 'slug');
  const declared = knowledge.resource(resource.inputs.version)?.inputs as InputsOf['version'] | undefined;
  const projectSlug = declared && textMember(knowledge.outputs(declared.project), 'slug');
  if (versionSlug === undefined) return [];
  if (knowledge.abilities.capabilities.has('instances')) {
    return [{ type: 'service', endpoint: 'instance.list', query: { 'filter-version': versionSlug } }];
  }
  return projectSlug === undefined
    ? []
    : [{ type: 'service', endpoint: 'version.detail', params: { projectSlug, versionSlug } }];
}

/** False where only the version's detail can be read and the contract has no events: it is never listed there. */
function canBeShown({ resource, answers: [answer], knowledge }: Sighting<'contract'>): boolean {
  if (knowledge.abilities.capabilities.has('instances') || knowledge.abilities.chain) return true;
  const { inputs } = resource;
  const artifact = compiledContracts(objectOf(answer) ?? {}).find(
    ({ name }) => 'contract' in inputs && name === inputs.contract,
  );
  return artifact?.abi.some((item) => item['type'] === 'event') === true;
}

function isShown({ entry, answers: [answer], knowledge }: Sighting<'contract'>): boolean {
  if (answer?.type !== 'found') return false;
  if (answer.source === 'chain') return true;
  const address = entry?.outputs.address;
  const listed = itemsOf(answer).some((item) => sameAddress(textMember(item, 'contract_address'), address));
  if (knowledge.abilities.capabilities.has('instances')) return listed;
  return shownInstances(objectOf(answer) ?? {}).some((item) => sameAddress(item.address, address));
}
