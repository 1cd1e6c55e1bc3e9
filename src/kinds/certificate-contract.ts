import { textMember, type JsonObject } from '../model/json.js';
import type { InputsOf } from '../model/resource.js';
import type { Kind } from './kind.js';
import { onlyResource, settledAddress, settledInputs, walletLane } from './knowledge.js';
import { itemsOf, namesBefore, newItems, only } from './listing.js';
import type { Known, Operation } from './operation.js';
import { sameAddress } from './receipt.js';
import { createdAddress, transactionHash, transactionOperation } from './transaction.js';

type Created = Extract<InputsOf['certificate-contract'], { nickname: string }>;

/** The NFT contract that certificates are minted from. No read of the service shows its owner or supply. */
export const certificateContract: Kind<'certificate-contract'> = {
  name: 'certificate-contract',
  verb: 'create',
  irreversible: true,
  isExisting: (resource) => 'address' in resource.inputs,
  comparable: ({ inputs }) => inputs,
  observe: ({ entry, knowledge, answers }) => {
    const address = entry?.outputs.address;
    if (address === undefined || answers.length > 0) return [];
    if (knowledge.abilities.chain) return [{ type: 'code', address }];
    return knowledge.abilities.capabilities.has('lists')
      ? [{ type: 'service', endpoint: 'certificate.contract.list' }]
      : [];
  },
  seen: ({ entry, answers: [answer] }) => {
    if (entry === undefined) return { sight: 'not-asked' };
    if (answer === undefined || answer.type === 'unreadable')
      return { sight: 'unreadable', unreadable: 'capability lists or rpc_url' };
    if (answer.type === 'found' && answer.source === 'chain') return { sight: 'present' };
    const shown = itemsOf(answer).some((item) =>
      sameAddress(textMember(item, 'contract_address'), entry.outputs.address),
    );
    return { sight: shown ? 'present' : 'absent' };
  },
  differs: () => ({
    action: 'blocked',
    reason: 'a certificate contract cannot be changed, and its certificates belong to it',
    fix: 'restore the inputs, or declare another certificate contract',
  }),
  provable: ({ capabilities, callbacks, chain }) =>
    callbacks ||
    chain ||
    capabilities.has('lists') ||
    capabilities.has('receipts') ||
    'callbacks, rpc_url, or the capability lists or receipts',
  operation: () => 'certificate-contract.create',
  lane: ({ inputs }) => ('deployer' in inputs ? walletLane(inputs.deployer) : ''),
};

/** Creates a certificate contract; its nickname is sent as written. */
export const createCertificateContract: Operation = transactionOperation({
  tier: 'container',
  prepare: ({ knowledge }, answers) =>
    knowledge.abilities.capabilities.has('lists') && answers.length === 0
      ? [{ type: 'service', endpoint: 'certificate.contract.list' }]
      : [],
  request: (view, answers) => {
    const { id, ...resource } = onlyResource(view, 'certificate-contract');
    const inputs = resource.inputs as Created;
    const deployer = settledAddress(view, inputs.deployer);
    return {
      type: 'write',
      request: {
        endpoint: 'certificate.contract.create',
        params: {},
        body: {
          wallet_address: deployer,
          name: inputs.nickname,
          field: {
            wallet_address_owner: settledAddress(view, inputs.owner),
            max_supply: inputs.maxSupply,
            name: inputs.name,
            symbol: inputs.symbol,
          },
        },
        takesCallback: true,
      },
      context: {
        nickname: inputs.nickname,
        deployer,
        before: namesBefore(answers[0], 'contract_address'),
      },
      inputs: { [id]: settledInputs(view, inputs) },
    };
  },
  accept: () => ({}),
  fromReceipt: ({ contractAddress, to }) =>
    contractAddress === undefined || to !== undefined ? undefined : { address: contractAddress },
  listing: (_known, { capabilities }, listed) =>
    capabilities.has('lists') && listed.length === 0
      ? [{ type: 'service', endpoint: 'certificate.contract.list' }]
      : [],
  fromListing: (known, [answer]) => {
    const fresh = newItems(answer, 'contract_address', known);
    const hash = transactionHash(known);
    const item =
      fresh.find((entry) => sameAddress(textMember(entry, 'transactionHash'), hash)) ??
      namedItem(known, fresh);
    const address = textMember(item, 'contract_address');
    const transaction = textMember(item, 'transactionHash');
    return address === undefined ? undefined : { address, ...(transaction !== undefined && { transaction }) };
  },
  candidates: (known, [list]) =>
    newItems(list, 'contract_address', known).filter(
      (item) => item['contract_name'] === known.context['nickname'],
    ),
  fromCallback: (facts) => {
    const address = createdAddress(facts);
    return address === undefined ? undefined : { address };
  },
});

/** The new contract of our nickname; where there are several, the one that a callback names. */
function namedItem(known: Known, fresh: readonly JsonObject[]): JsonObject | undefined {
  const named = fresh.filter((entry) => entry['contract_name'] === known.context['nickname']);
  const claims = known.callbacks.map((hint) => createdAddress(hint.facts));
  return (
    named.find((item) =>
      claims.some((address) => sameAddress(address, textMember(item, 'contract_address'))),
    ) ?? only(named)
  );
}
