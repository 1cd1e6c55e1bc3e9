import type { Digest } from '../model/canonical.js';
import { recordOf, type ResourceId } from '../model/id.js';
import { member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import type { AnyResource, InputsOf } from '../model/resource.js';
import type { Kind } from './kind.js';
import { onlyResource } from './knowledge.js';
import { namesBefore, newItems, only } from './listing.js';
import { undecidedAmong, type Operation } from './operation.js';
import { confirmed } from './transaction.js';

type Created = Extract<InputsOf['wallet'], { name: string }>;

/** What is kept of a person: that there is one. */
const PERSON = { name: '•••' } as const;

/** What is told of a name that is not the plan's. */
const ANOTHER = { name: 'another name' } as const;

const RENAMED = 'the platform shows another name for it than the plan says';

/** The people whom wallets are made for, as one plan says them. For this process alone. */
export interface People {
  /** The digest of that plan: another one may have said other names when something was sent. */
  readonly plan: Digest;
  readonly names: ReadonlyMap<ResourceId, string>;
}

/** The names of the people whom wallets of a plan are made for, where the plan says them. */
export function peopleOf({ digest, resources }: Pick<Plan, 'digest' | 'resources'>): People {
  const names = resources.flatMap((resource) => {
    const name = personIn(resource);
    return name === undefined ? [] : [[resource.id, name] as const];
  });
  return { plan: digest, names: new Map(names) };
}

/** The name of the person whom a wallet is made for, where the plan says it. */
export function personIn(resource: AnyResource): string | undefined {
  return resource.kind === 'wallet' ? nameIn(resource) : undefined;
}

/** What may be told of the name that the platform shows: that it is the one, or another; nothing when that is not known. */
export function shownPerson(shown: Json, person: string | undefined): JsonObject {
  if (person === undefined || textMember(shown, 'name') === undefined) return {};
  return isAnother(shown, person) ? ANOTHER : PERSON;
}

function nameIn({ inputs }: { readonly inputs: InputsOf['wallet'] }): string | undefined {
  return 'name' in inputs && '$personal' in inputs.name ? inputs.name.$personal : undefined;
}

/** Services trim names, and put capitals where they like. */
function isAnother(shown: Json, person: string | undefined): boolean {
  const name = textMember(shown, 'name');
  return name !== undefined && person !== undefined && plain(name) !== plain(person);
}

function plain(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** A wallet: one that exists (`address`), or a user wallet that the service creates and keeps the key of. */
export const wallet: Kind<'wallet'> = {
  name: 'wallet',
  verb: 'create',
  irreversible: true,
  isExisting: (resource) => 'address' in resource.inputs,
  // Name, e-mail and identity number are personal data. Nothing of them may be kept, no digest either: it could be guessed.
  comparable: ({ inputs }) => ('address' in inputs ? { address: inputs.address } : PERSON),
  observe: ({ entry, knowledge, answers }) => {
    const address = entry?.outputs.address;
    if (address === undefined || answers.length > 0 || !knowledge.abilities.capabilities.has('lists'))
      return [];
    return [{ type: 'service', endpoint: 'wallet.detail', params: { address } }];
  },
  seen: ({ resource, entry, answers }) => {
    if (entry === undefined) return { sight: 'not-asked' };
    const [answer] = answers;
    if (answer === undefined || answer.type === 'unreadable')
      return { sight: 'unreadable', unreadable: 'capability lists' };
    if (answer.type === 'absent') return { sight: 'absent' };
    return {
      sight: 'present',
      ...(isAnother(answer.value, nameIn(resource)) && { inputs: ANOTHER, note: RENAMED }),
    };
  },
  differs: () => ({
    action: 'blocked',
    reason: 'a created wallet cannot be changed',
    fix: 'restore what the plan said, or declare another wallet',
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
      context: { before: namesBefore(answers[0], 'address') },
      inputs: recordOf(id, PERSON),
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
    if (known.person === undefined) return undecidedAmong(fresh);
    const named = fresh.filter((item) => item['name'] === known.person);
    const found = textMember(only(named), 'address');
    return found === undefined ? undecidedAmong(named) : confirmed(known, 'B', { address: found });
  },
};
