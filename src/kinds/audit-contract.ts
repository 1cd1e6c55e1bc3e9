import { recordOf } from '../model/id.js';
import { textMember } from '../model/json.js';
import type { InputsOf } from '../model/resource.js';
import type { Kind, Observation } from './kind.js';
import { onlyResource } from './knowledge.js';
import { itemsOf, namesBefore, newItems, ofAnswered, only } from './listing.js';
import { sameAddress } from './receipt.js';
import { createdAddress, transactionOperation } from './transaction.js';
import type { Operation } from './operation.js';

type Created = Extract<InputsOf['audit-contract'], { name: string }>;

const UNREADABLE: Observation = { sight: 'unreadable', unreadable: 'capability lists or rpc_url' };

/** The chain contract that audit records are written to. No read shows `encrypt_data`. */
export const auditContract: Kind<'audit-contract'> = {
  name: 'audit-contract',
  verb: 'create',
  irreversible: true,
  isExisting: (resource) => 'address' in resource.inputs,
  comparable: ({ inputs }) =>
    'address' in inputs ? inputs : { name: inputs.name, encryptData: inputs.encryptData },
  observe: ({ entry, knowledge, answers }) => {
    if (entry === undefined || answers.length > 0) return [];
    if (knowledge.abilities.capabilities.has('lists'))
      return [{ type: 'service', endpoint: 'audit.contract.list' }];
    const address = knowledge.abilities.chain ? entry.outputs.address : undefined;
    return address === undefined ? [] : [{ type: 'code', address }];
  },
  seen: ({ entry, answers: [answer], knowledge }) => {
    if (entry === undefined) return { sight: 'not-asked' };
    if (answer === undefined || answer.type === 'unreadable') return UNREADABLE;
    if (!knowledge.abilities.capabilities.has('lists'))
      return { sight: answer.type === 'found' ? 'present' : 'absent' };
    const shown = itemsOf(answer).some((item) =>
      sameAddress(textMember(item, 'contract_address'), entry.outputs.address),
    );
    return { sight: shown ? 'present' : 'absent' };
  },
  differs: () => ({
    action: 'blocked',
    reason: 'an audit contract cannot be changed, and its records point at it',
    fix: 'restore the inputs, or declare another audit contract',
  }),
  provable: ({ capabilities, callbacks }) =>
    callbacks || capabilities.has('lists') || 'callbacks, or the capability lists',
  operation: () => 'audit-contract.create',
  lane: () => 'service:audit-contracts',
};

/** Creates an audit contract. Its answer names nothing: the callback or the list of contracts tells the address. */
export const createAuditContract: Operation = transactionOperation({
  tier: 'container',
  prepare: ({ knowledge }, answers) =>
    knowledge.abilities.capabilities.has('lists') && answers.length === 0
      ? [{ type: 'service', endpoint: 'audit.contract.list' }]
      : [],
  request: (view, answers) => {
    const { id, inputs: declared } = onlyResource(view, 'audit-contract');
    const { name, encryptData } = declared as Created;
    return {
      type: 'write',
      request: {
        endpoint: 'audit.contract.create',
        params: {},
        body: { name, field: { encrypt_data: encryptData } },
        takesCallback: true,
      },
      context: { name, before: namesBefore(answers[0], 'contract_address') },
      inputs: recordOf(id, { name, encryptData }),
    };
  },
  accept: () => ({}),
  fromReceipt: ({ contractAddress, to }) =>
    contractAddress === undefined || to !== undefined ? undefined : { address: contractAddress },
  listing: (_known, { capabilities }, listed) =>
    capabilities.has('lists') && listed.length === 0
      ? [{ type: 'service', endpoint: 'audit.contract.list' }]
      : [],
  fromListing: (known, answers) => {
    const fresh = ofAnswered(newItems(answers[0], 'contract_address', known), known);
    const named = fresh.filter((item) => item['contract_name'] === known.context['name']);
    const claims = known.callbacks.map((hint) => createdAddress(hint.facts));
    const claimed = named.find((item) =>
      claims.some((address) => sameAddress(address, textMember(item, 'contract_address'))),
    );
    const item = claimed ?? only(named);
    const address = textMember(item, 'contract_address');
    const hash = textMember(item, 'transactionHash');
    return address === undefined ? undefined : { address, ...(hash !== undefined && { transaction: hash }) };
  },
  candidates: (known, [list]) =>
    newItems(list, 'contract_address', known).filter(
      (item) => item['contract_name'] === known.context['name'],
    ),
  fromCallback: (facts) => {
    const address = createdAddress(facts);
    return address === undefined ? undefined : { address };
  },
});
