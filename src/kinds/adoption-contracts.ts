import { textMember, type Json, type JsonObject } from '../model/json.js';
import type { Grade, Outputs } from '../state/event.js';
import type { Adoption, AdoptionView, Appraisal } from './adoption.js';
import { shownInstances } from './constructor.js';
import { itemsOf, objectOf } from './listing.js';
import { shownParameters } from './shown-parameters.js';
import type { ReadAnswer, ReadRequest } from './operation.js';
import { gradeOf, readReceipt, sameAddress } from './receipt.js';
import { canReadReceipts } from './transaction.js';

/** What sets the three kinds of contracts apart. */
interface ContractRules {
  /** The read that lists the contract; undefined where there is none. */
  readonly listing: (view: AdoptionView) => ReadRequest | undefined;
  /** The inputs that the listing shows of the contract at an address; undefined: it is not in there. */
  readonly listed: (answer: ReadAnswer, address: string, inputs: JsonObject) => JsonObject | undefined;
  /** The listing is whole: what is not in it does not exist. */
  readonly whole: (view: AdoptionView) => boolean;
  /** The wallet that deployed it. */
  readonly deployer: (view: AdoptionView) => Json | undefined;
  /** The input that says who deployed it. */
  readonly signer?: string;
  /** The input that says who owns it, where the chain says so, too. */
  readonly owner?: string;
  readonly fact: boolean;
}

/** A contract instance by its address, and by the transaction that made it, too. */
export const adoptContract: Adoption = contractAdoption({
  listing: ({ context, abilities }) => {
    const versionSlug = textMember(context, 'versionSlug');
    const projectSlug = textMember(context, 'projectSlug');
    if (versionSlug === undefined) return undefined;
    if (abilities.capabilities.has('instances')) {
      return { type: 'service', endpoint: 'instance.list', query: { 'filter-version': versionSlug } };
    }
    if (projectSlug === undefined) return undefined;
    return { type: 'service', endpoint: 'version.detail', params: { projectSlug, versionSlug } };
  },
  listed: (answer, address, { version, params = {} }) => {
    const item = itemsOf(answer).find((entry) => sameAddress(textMember(entry, 'contract_address'), address));
    const name =
      textMember(item, 'contract_name') ??
      shownInstances(objectOf(answer) ?? {}).find((instance) => sameAddress(instance.address, address))?.name;
    if (name === undefined) return undefined;
    const shown = shownParameters(params, item?.['deployment_params']);
    // Only what belongs to the version was asked for.
    return {
      contract: name,
      ...(version !== undefined && { version }),
      ...(shown !== undefined && { params: shown }),
    };
  },
  // The version's detail leaves contracts without events out.
  whole: ({ abilities }) => abilities.capabilities.has('instances'),
  deployer: ({ context }) => context['wallet'],
  signer: 'wallet',
  fact: true,
});

/** An audit contract by its address. */
export const adoptAuditContract: Adoption = contractAdoption({
  listing: ({ abilities }) =>
    abilities.capabilities.has('lists') ? { type: 'service', endpoint: 'audit.contract.list' } : undefined,
  listed: (answer, address) => named(answer, address, 'name'),
  whole: () => true,
  deployer: () => undefined,
  fact: false,
});

/** A certificate contract by its address. */
export const adoptCertificateContract: Adoption = contractAdoption({
  listing: ({ abilities }) =>
    abilities.capabilities.has('lists')
      ? { type: 'service', endpoint: 'certificate.contract.list' }
      : undefined,
  listed: (answer, address) => {
    const item = itemsOf(answer).find((entry) => sameAddress(textMember(entry, 'contract_address'), address));
    const { name, symbol } = item ?? {};
    return (
      item && {
        ...named(answer, address, 'nickname'),
        ...(typeof name === 'string' && { name }),
        ...(typeof symbol === 'string' && { symbol }),
      }
    );
  },
  whole: () => true,
  deployer: ({ inputs }) => inputs['deployer'],
  signer: 'deployer',
  owner: 'owner',
  fact: false,
});

function named(answer: ReadAnswer, address: string, member: 'name' | 'nickname'): JsonObject | undefined {
  const item = itemsOf(answer).find((entry) => sameAddress(textMember(entry, 'contract_address'), address));
  const name = textMember(item, 'contract_name');
  return item && (name === undefined ? {} : { [member]: name });
}

function contractAdoption(rules: ContractRules): Adoption {
  return {
    names: ['address', 'tx'],
    form: '0x…',
    fact: rules.fact,
    adoptable: true,
    next: (view, answers) => (answers.length > 0 ? [] : readsOf(rules, view).map(({ request }) => request)),
    appraise: (view, answers) => appraise(rules, view, answers),
  };
}

type Reading = 'receipt' | 'code' | 'owner' | 'listing';

function readsOf(
  rules: ContractRules,
  view: AdoptionView,
): readonly { readonly reading: Reading; readonly request: ReadRequest }[] {
  const { given, abilities } = view;
  const { tx, address = '' } = given;
  const listing = rules.listing(view);
  return [
    ...(tx !== undefined && canReadReceipts(abilities)
      ? [{ reading: 'receipt', request: { type: 'receipt', hash: tx } } as const]
      : []),
    ...(abilities.chain ? [{ reading: 'code', request: { type: 'code', address } } as const] : []),
    ...(abilities.chain && rules.owner !== undefined
      ? [{ reading: 'owner', request: { type: 'owner', address } } as const]
      : []),
    ...(listing === undefined ? [] : [{ reading: 'listing', request: listing } as const]),
  ];
}

function appraise(rules: ContractRules, view: AdoptionView, answers: readonly ReadAnswer[]): Appraisal {
  const address = view.given['address'] ?? '';
  const tx = view.given['tx'];
  const outputs: Outputs = { address, ...(tx !== undefined && { transaction: tx }) };
  const grades: Grade[] = [];
  let shown: JsonObject = {};
  for (const [index, { reading }] of readsOf(rules, view).entries()) {
    const answer = answers[index];
    if (answer === undefined || answer.type === 'unreadable') continue;
    const against = contradiction(reading, answer, { rules, view, address });
    if (against !== undefined) return { type: 'contradicted', reason: against };
    if (reading === 'receipt') grades.push(gradeOf(answer));
    shown = { ...shown, ...provenBy(reading, answer, { rules, view }) };
    const listed = reading === 'listing' ? rules.listed(answer, address, view.inputs) : undefined;
    if (listed === undefined) continue;
    shown = { ...shown, ...listed };
    grades.push('B');
  }
  const [grade] = grades.sort();
  return grade === undefined
    ? { type: 'unseen', outputs, reason: 'no read here shows whose contract it is' }
    : { type: 'shown', grade, outputs, shown };
}

/** Inputs that the chain bears out: who signed the deployment, and who owns the contract. */
function provenBy(
  reading: Reading,
  answer: ReadAnswer,
  { rules, view }: { readonly rules: ContractRules; readonly view: AdoptionView },
): JsonObject {
  const { signer, owner } = rules;
  if (reading === 'receipt' && signer !== undefined && typeof rules.deployer(view) === 'string')
    return view.inputs[signer] === undefined ? {} : { [signer]: view.inputs[signer] };
  if (reading !== 'owner' || owner === undefined || answer.type !== 'found') return {};
  const planned = view.inputs[owner];
  const same = sameAddress(textOf(answer.value), textOf(planned ?? null));
  return { [owner]: same ? (planned ?? null) : answer.value };
}

function textOf(value: Json): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Why an answer speaks against the contract; undefined when it does not. */
function contradiction(
  reading: Reading,
  answer: ReadAnswer,
  {
    rules,
    view,
    address,
  }: { readonly rules: ContractRules; readonly view: AdoptionView; readonly address: string },
): string | undefined {
  if (reading === 'code') return answer.type === 'absent' ? `there is no code at ${address}` : undefined;
  if (reading === 'owner') return undefined;
  if (reading === 'listing') {
    const missing = answer.type === 'found' && rules.listed(answer, address, view.inputs) === undefined;
    return missing && rules.whole(view) ? `the platform does not list ${address}` : undefined;
  }
  return againstReceipt(answer, address, rules.deployer(view));
}

function againstReceipt(answer: ReadAnswer, address: string, deployer: Json | undefined): string | undefined {
  const receipt = answer.type === 'found' ? readReceipt(answer.value) : undefined;
  if (receipt === undefined) return 'there is no such transaction in a block';
  if (!receipt.succeeded) return 'the chain reverted the transaction';
  if (!sameAddress(receipt.contractAddress, address)) return `the transaction did not make ${address}`;
  return typeof deployer === 'string' && !sameAddress(receipt.from, deployer)
    ? `the transaction was signed by ${receipt.from}, not by ${deployer}`
    : undefined;
}
