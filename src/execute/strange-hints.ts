import { isJsonObject, member, textMember, type Json, type JsonObject } from '../model/json.js';
import type { CallbackHint } from '../kinds/operation.js';
import { createdAddress } from '../kinds/transaction.js';
import type { Attempt } from '../state/attempt.js';

/** Success callbacks about something else than what the attempt is known to have made. */
export function strangeHints(attempt: Attempt): readonly CallbackHint[] {
  const hints = attempt.evidence.filter(({ via, claim }) => via === 'callback' && claim === 'success');
  return hints.filter(({ facts }) => !isSettledOne(attempt, facts) && isStrange(facts, madeBy(attempt)));
}

/** True for the transaction that the attempt was settled with, as nearly always. */
function isSettledOne({ resources: [id], settled }: Attempt, facts: JsonObject): boolean {
  const hash = hashOf(facts);
  return hash !== undefined && id !== undefined && settled?.outputs[id]?.transaction === hash;
}

/** What can be compared is compared: transactions, else deployments, else addresses. */
const COMPARED: readonly {
  readonly told: (facts: JsonObject) => readonly (string | undefined)[];
  readonly keys: readonly string[];
}[] = [
  { told: (facts) => [hashOf(facts)], keys: ['transaction', 'transactionHash'] },
  { told: (facts) => [textMember(facts, 'deployment_id')], keys: ['deploymentId'] },
  { told: addressesIn, keys: ['address'] },
];

function isStrange(facts: JsonObject, made: readonly JsonObject[]): boolean {
  for (const { told, keys } of COMPARED) {
    const names = told(facts).flatMap((name) => name?.toLowerCase() ?? []);
    const own = names.length === 0 ? [] : made.flatMap((item) => textsUnder(item, keys));
    if (own.length > 0) return !names.some((name) => own.includes(name));
  }
  return false;
}

function addressesIn(facts: JsonObject): readonly string[] {
  const deployed = facts['deployed_contract_addresses'];
  const many = Array.isArray(deployed) ? (deployed as readonly Json[]) : [];
  return [createdAddress(facts), ...many.map((item) => textMember(item, 'contract_address'))].flatMap(
    (address) => address ?? [],
  );
}

/** The transaction that facts of a callback name. */
export function hashOf(facts: JsonObject): string | undefined {
  return textMember(facts, 'transactionHash') ?? textMember(member(facts, 'receipt'), 'transactionHash');
}

/** All that names what the attempt made: its answer, its outcome, a person's word and earlier findings. */
export function madeBy({ answered, settled, resolved, duplicates }: Attempt): readonly JsonObject[] {
  const made = [settled?.outputs, resolved?.outputs, ...duplicates.map(({ facts }) => facts['outputs'])];
  const objects = made.flatMap((item) => (isJsonObject(item) ? Object.values(item) : []));
  return [answered?.ids, ...objects].filter(isJsonObject);
}

function textsUnder(item: JsonObject, keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => textMember(item, key)?.toLowerCase() ?? []);
}
