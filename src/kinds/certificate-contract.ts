import { recordOf } from '../model/id.js';
import type { FieldChange } from '../model/change.js';
import { member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { InputsOf } from '../model/resource.js';
import type { LockEntry } from '../state/lock.js';
import type { DifferenceRule, Kind, Observation } from './kind.js';
import { onlyResource, settledAddress, settledInputs, walletLane } from './knowledge.js';
import { itemsOf, namesBefore, newItems, ofAnswered, only } from './listing.js';
import type { Known, Operation, ReadAnswer } from './operation.js';
import { sameAddress } from './receipt.js';
import { isSentByAnother, MOST_ASKED, sortListed, textDiffers } from './maker/listed.js';
import { canReadReceipts, createdAddress, transactionHash, transactionOperation } from './transaction.js';

type Created = Extract<InputsOf['certificate-contract'], { nickname: string }>;

/** The NFT contract that certificates are minted from. No read of the service shows its owner or supply; the chain does the owner. */
export const certificateContract: Kind<'certificate-contract'> = {
  name: 'certificate-contract',
  verb: 'create',
  irreversible: true,
  isExisting: (resource) => 'address' in resource.inputs,
  comparable: ({ inputs }) => inputs,
  observe: ({ entry, knowledge, answers }) => {
    const address = entry?.outputs.address;
    if (address === undefined || answers.length > 0) return [];
    if (knowledge.abilities.chain)
      return [
        { type: 'code', address },
        { type: 'owner', address },
      ];
    return knowledge.abilities.capabilities.has('lists')
      ? [{ type: 'service', endpoint: 'certificate.contract.list' }]
      : [];
  },
  seen: ({ entry, answers: [answer, owner] }) => {
    if (entry === undefined) return { sight: 'not-asked' };
    if (answer === undefined || answer.type === 'unreadable')
      return { sight: 'unreadable', unreadable: 'capability lists or rpc_url' };
    if (answer.type === 'found' && answer.source === 'chain') return present(entry, owner);
    const shown = itemsOf(answer).some((item) =>
      sameAddress(textMember(item, 'contract_address'), entry.outputs.address),
    );
    return { sight: shown ? 'present' : 'absent' };
  },
  changeable: ['owner'],
  differs: (_resource, fields, { inputs }) => {
    const [field] = fields;
    if (fields.length === 1 && field?.path === 'owner') return ownerRule(field, inputs?.['owner']);
    return {
      action: 'blocked',
      reason: 'a certificate contract cannot be changed, and its certificates belong to it',
      fix: 'restore the inputs, or declare another certificate contract',
    };
  },
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
    const { id, inputs: declared } = onlyResource(view, 'certificate-contract');
    const inputs = declared as Created;
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
      inputs: recordOf(id, settledInputs(view, inputs)),
    };
  },
  accept: () => ({}),
  fromReceipt: ({ contractAddress, to }) =>
    contractAddress === undefined || to !== undefined ? undefined : { address: contractAddress },
  listing: (known, abilities, listed) => {
    if (!abilities.capabilities.has('lists')) return [];
    if (listed.length === 0) return [{ type: 'service', endpoint: 'certificate.contract.list' }];
    if (listed.length > 1 || !canReadReceipts(abilities)) return [];
    return lostItems(known, listed[0])
      .slice(0, MOST_ASKED)
      .map((item) => ({ type: 'receipt', hash: textMember(item, 'transactionHash') ?? '' }));
  },
  fromListing: (known, [answer, ...receipts]) => {
    const fresh = ofAnswered(newItems(answer, 'contract_address', known), known);
    const hash = transactionHash(known);
    const { own } = byDeployer(known, answer, receipts);
    const item =
      fresh.find((entry) => sameAddress(textMember(entry, 'transactionHash'), hash)) ??
      namedItem(known, hash === undefined ? own : fresh);
    const address = textMember(item, 'contract_address');
    const transaction = textMember(item, 'transactionHash');
    return address === undefined ? undefined : { address, ...(transaction !== undefined && { transaction }) };
  },
  candidates: (known, [list, ...receipts]) => {
    if (known.surplus) return byDeployer(known, list, receipts).own;
    return newItems(list, 'contract_address', known).filter((item) => isNamed(item, known));
  },
  others: (known, [list, ...receipts]) => byDeployer(known, list, receipts).others,
  fromCallback: (facts) => {
    const address = createdAddress(facts);
    return address === undefined ? undefined : { address };
  },
});

/** It is there; with its owner, where the chain names one. An owner that is spelled in another way is the same. */
function present(entry: LockEntry, answer: ReadAnswer | undefined): Observation {
  const locked = textMember(entry.inputs, 'owner');
  if (locked === undefined || answer?.type !== 'found' || typeof answer.value !== 'string')
    return { sight: 'present' };
  const owner = sameAddress(answer.value, locked) ? locked : answer.value;
  return { sight: 'present', inputs: { owner }, note: 'the chain names another owner' };
}

/** A contract is handed over on the chain, not by a plan: the plan follows. @param shown whom the chain names */
function ownerRule({ before, after }: FieldChange, shown: Json | undefined): DifferenceRule {
  const action = 'blocked';
  const [planned, named] = [after, shown].map((item) => (typeof item === 'string' ? item : undefined));
  if (sameAddress(planned, named) && shown !== before) {
    const reason = 'it was handed to the owner that the plan names, which the lock does not know yet';
    return { action, reason, fix: '`windlass apply --refresh-only` takes the new owner into the lock' };
  }
  return {
    action,
    reason: 'a plan does not hand a certificate contract to another owner',
    fix: 'name the owner that it has, or declare another certificate contract',
  };
}

function isNamed(item: JsonObject, { context }: Known): boolean {
  return item['contract_name'] === context['nickname'];
}

/** The new contracts of our nickname, of which any may be ours while the answer named no transaction. */
function lostItems(known: Known, list: ReadAnswer | undefined): readonly JsonObject[] {
  if (transactionHash(known) !== undefined) return [];
  return newItems(list, 'contract_address', known).filter((item) => isNamed(item, known));
}

/** Which of them the deployer made as it was asked to, and which somebody else. */
function byDeployer(
  known: Known,
  list: ReadAnswer | undefined,
  receipts: readonly ReadAnswer[],
): ReturnType<typeof sortListed> {
  const [id] = known.resources;
  const sent = id === undefined ? undefined : known.inputs?.[id];
  const deployer = textMember(known.context, 'deployer');
  const listed = lostItems(known, list).map((item, index) => ({ item, answer: receipts[index] }));
  const what = `certificate contract ${textMember(known.context, 'nickname') ?? ''}`;
  return sortListed(listed, what, ({ item, answer }) => [
    ...(isSentByAnother(answer, deployer) ? (['sender'] as const) : []),
    ...(['name', 'symbol'].some((key) => textDiffers(item, key, member(sent, key)))
      ? (['parameters'] as const)
      : []),
  ]);
}

/** The new contract of our nickname; where there are several, the one that a callback names. */
function namedItem(known: Known, fresh: readonly JsonObject[]): JsonObject | undefined {
  const named = fresh.filter((entry) => isNamed(entry, known));
  const claims = known.callbacks.map((hint) => createdAddress(hint.facts));
  return (
    named.find((item) =>
      claims.some((address) => sameAddress(address, textMember(item, 'contract_address'))),
    ) ?? only(named)
  );
}
