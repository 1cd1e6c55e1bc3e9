import { recordOf } from '../model/id.js';
import { member, textMember } from '../model/json.js';
import type { InputsOf } from '../model/resource.js';
import { publicView } from '../model/value.js';
import type { Kind } from './kind.js';
import { onlyResource } from './knowledge.js';
import { namesBefore, newItems, only } from './listing.js';
import { undecidedAmong, type Operation } from './operation.js';
import { confirmed } from './transaction.js';

type Created = Extract<InputsOf['wallet'], { name: string }>;

/** A wallet: one that exists (`address`), or a user wallet that the service creates and keeps the key of. */
export const wallet: Kind<'wallet'> = {
  name: 'wallet',
  verb: 'create',
  irreversible: true,
  isExisting: (resource) => 'address' in resource.inputs,
  // E-mail and identity number are personal data: never compared, because nothing of them may be kept.
  comparable: ({ inputs }) => ('address' in inputs ? { address: inputs.address } : { name: inputs.name }),
  observe: ({ entry, knowledge, answers }) => {
    const address = entry?.outputs.address;
    if (address === undefined || answers.length > 0 || !knowledge.abilities.capabilities.has('lists'))
      return [];
    return [{ type: 'service', endpoint: 'wallet.detail', params: { address } }];
  },
  seen: ({ entry, answers }) => {
    if (entry === undefined) return { sight: 'not-asked' };
    const [answer] = answers;
    if (answer === undefined || answer.type === 'unreadable')
      return { sight: 'unreadable', unreadable: 'capability lists' };
    return { sight: answer.type === 'found' ? 'present' : 'absent' };
  },
  differs: () => ({
    action: 'blocked',
    reason: 'the name of a created wallet cannot be changed',
    fix: 'restore the name, or declare another wallet',
  }),
  provable: () => true,
  operation: () => 'wallet.create',
  lane: () => 'service:wallets',
};

/**
 * Creates a user wallet. The answer holds the address; nothing calls back. An answer that was lost is looked for
 * by name among the wallets that were not there before, where they can be listed.
 */
export const createWallet: Operation = {
  silent: true,
  prepare: ({ knowledge }, answers) =>
    knowledge.abilities.capabilities.has('lists') && answers.length === 0
      ? [{ type: 'service', endpoint: 'wallet.list' }]
      : [],
  request: (view, answers) => {
    const { id, inputs: declared } = onlyResource(view, 'wallet');
    const { name, email, ic } = declared as Created;
    return {
      type: 'write',
      request: {
        endpoint: 'wallet.create-user',
        params: {},
        body: { name, email, ic },
        takesCallback: false,
      },
      context: { name: publicView(name), before: namesBefore(answers[0], 'address') },
      inputs: recordOf(id, { name: publicView(name) }),
    };
  },
  accept: (result) => {
    const address = textMember(member(result, 'wallet'), 'wallet_address');
    return address === undefined ? undefined : { address };
  },
  proofs: (known, answers, abilities) => {
    if (answers.length > 0 || !abilities.capabilities.has('lists')) return [];
    const address = textMember(known.ids, 'address');
    return address === undefined
      ? [{ type: 'service', endpoint: 'wallet.list' }]
      : [{ type: 'service', endpoint: 'wallet.detail', params: { address } }];
  },
  judge: (known, answers) => {
    const address = textMember(known.ids, 'address');
    if (address !== undefined) return confirmed(known, answers[0]?.type === 'found' ? 'B' : 'D', { address });
    const fresh = newItems(answers[0], 'address', known);
    const named = fresh.filter((item) => item['name'] === known.context['name']);
    const found = textMember(only(named), 'address');
    return found === undefined ? undecidedAmong(named) : confirmed(known, 'B', { address: found });
  },
};
