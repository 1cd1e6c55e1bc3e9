import { member, textMember, withMembers, type Json, type JsonObject } from '../model/json.js';
import { recordOf, type ResourceId } from '../model/id.js';
import type { Grade, Outputs } from '../state/event.js';
import type { Abilities } from './kind.js';
import type { Other } from './maker/difference.js';
import {
  undecidedAmong,
  type CallbackHint,
  type Known,
  type Operation,
  type Prepared,
  type ReadAnswer,
  type ReadRequest,
  type Rival,
  type StepView,
  type Verdict,
} from './operation.js';
import { gradeOf, readReceipt, sameAddress, type ReceiptFacts } from './receipt.js';

/** What sets one chain write apart from the others; the rest of its proof is the same for all. */
export interface TransactionRules {
  /**
   * `fact`: a second effect is damage (record, mint, transfer). `container`: a second one is an unreferenced
   * orphan (contracts), so that a failure may be believed although the answer named no transaction.
   */
  readonly tier: 'fact' | 'container';
  readonly shared?: readonly string[];
  prepare?(view: StepView, answers: readonly ReadAnswer[]): readonly ReadRequest[];
  request(view: StepView, answers: readonly ReadAnswer[]): Prepared;
  /** Ids that the answer must hold besides the transaction hash; undefined: unusable answer. */
  accept(result: Json): JsonObject | undefined;
  /** Outputs that a successful receipt proves, or undefined when it is not this step's transaction. */
  fromReceipt(receipt: ReceiptFacts, known: Known): Outputs | undefined;
  /** The next reads of the platform that would show the effect, given those so far; asked where no receipt settles it. */
  listing(known: Known, abilities: Abilities, listed: readonly ReadAnswer[]): readonly ReadRequest[];
  /** Outputs that the listing proves, or undefined while it does not show the effect. */
  fromListing(known: Known, answers: readonly ReadAnswer[]): Outputs | undefined;
  /** What the listing shows that may be the effect, where several things may be. */
  candidates?(known: Known, answers: readonly ReadAnswer[]): readonly JsonObject[];
  /** What the listing shows that looks like the effect and was made by somebody else; it is among no candidates. */
  others?(known: Known, answers: readonly ReadAnswer[]): readonly Other[];
  /** Outputs that only a success callback tells, for environments without any read. */
  fromCallback(facts: JsonObject, known: Known): Outputs | undefined;
}

/**
 * The operation of a write that ends in one transaction. Proof, in this order: the receipt of the transaction that
 * the service answered with; the platform's listing; where neither can be read here, the callback.
 *
 * A failure is believed from that receipt, unless the listing shows the effect all the same: a middlebox that delivers a
 * request twice may answer with the delivery that failed. A callback's word for it counts only when the horizon has passed, reads that
 * would show the effect show none, and it names the answered transaction (where the answer named one): a forged failure
 * would cause a second effect (reliability §5). Where nothing can be read, no failure is believed.
 */
export function transactionOperation(rules: TransactionRules): Operation {
  return {
    ...(rules.shared !== undefined && { shared: rules.shared }),
    prepare: (view, answers) => rules.prepare?.(view, answers) ?? [],
    request: (view, answers) => rules.request(view, answers),
    accept: (result) => {
      const ids = rules.accept(result);
      const hash = textMember(result, 'transactionHash');
      return ids && (hash === undefined ? ids : withMembers(ids, { transactionHash: hash }));
    },
    proofs: (known, answers, abilities) => {
      const hashes = receiptHashes(rules, known, abilities);
      if (hashes.length > 0 && answers.length === 0) return hashes.map((hash) => ({ type: 'receipt', hash }));
      const byReceipt = judgeReceipts(rules, known, answers.slice(0, hashes.length));
      if (byReceipt?.type === 'confirmed') return [];
      // Another delivery of a request that failed may have had its effect.
      const failed = byReceipt !== undefined || (known.late && isToldFailed(rules, known));
      const asked = failed ? asUnanswered(known) : known;
      return rules.listing(asked, abilities, answers.slice(hashes.length));
    },
    judge: (known, answers, abilities) => judge(rules, known, answers, abilities),
  };
}

/** True when receipts can be read here, over JSON-RPC or through the service. */
export function canReadReceipts(abilities: Abilities): boolean {
  return abilities.chain || abilities.capabilities.has('receipts');
}

function judge(
  rules: TransactionRules,
  known: Known,
  answers: readonly ReadAnswer[],
  abilities: Abilities,
): Verdict {
  const hashes = receiptHashes(rules, known, abilities);
  const byReceipt = judgeReceipts(rules, known, answers.slice(0, hashes.length));
  const listed = answers.slice(hashes.length);
  if (byReceipt?.type === 'failed') return judgeReverted(rules, known, byReceipt, listed);
  if (byReceipt) return byReceipt;
  const { outputs, others, candidates } = judgeListed(rules, known, listed);
  if (outputs) return { ...confirmed(known, 'B', outputs), ...(others.length > 0 && { others }) };
  // While something is there that may be the effect, no callback's word for a failure counts.
  if (candidates.length > 0) return undecidedAmong(candidates, others);
  const told = judgeCallbacks(rules, known, answers);
  if (told.type === 'wait' && others.length > 0) return undecidedAmong([], others);
  return told.type === 'failed' ? judgeReverted(rules, known, told, listed) : told;
}

/** What lists show: the effect, what is somebody else's, and what may be either. */
function judgeListed(rules: TransactionRules, known: Known, listed: readonly ReadAnswer[]) {
  const outputs = listed.length > 0 ? rules.fromListing(known, listed) : undefined;
  const others = listed.length > 0 ? (rules.others?.(known, listed) ?? []) : [];
  return { outputs, others, candidates: rules.candidates?.(known, listed) ?? [] };
}

function settledByReceipt(
  rules: TransactionRules,
  known: Known,
  answer: ReadAnswer | undefined,
): Extract<Verdict, { type: 'confirmed' | 'failed' }> | undefined {
  const receipt = answer?.type === 'found' ? readReceipt(answer.value) : undefined;
  if (answer === undefined || receipt === undefined) return undefined;
  if (receipt.succeeded) {
    const outputs = rules.fromReceipt(receipt, known);
    return outputs && confirmed(known, gradeOf(answer), withMembers(outputs, { transaction: receipt.hash }));
  }
  return failed('the chain reverted the transaction', known, gradeOf(answer));
}

/**
 * The transactions whose receipts prove something where they can be read: the answered one; for a container whose answer
 * named none and which no list shows, those that success callbacks name. A token may leak, so the word of a callback is
 * then worth what its receipt shows; a list also shows which of two contracts it is.
 */
function receiptHashes(rules: TransactionRules, known: Known, abilities: Abilities): readonly string[] {
  const hash = transactionHash(known);
  if (!canReadReceipts(abilities)) return [];
  if (hash !== undefined) return [hash];
  if (rules.tier !== 'container' || rules.listing(known, abilities, []).length > 0) return [];
  return [...new Set(known.callbacks.flatMap(toldHash))];
}

function toldHash({ claim, facts }: CallbackHint): readonly string[] {
  const hash =
    textMember(facts, 'transactionHash') ?? textMember(member(facts, 'receipt'), 'transactionHash');
  return claim === 'success' && hash !== undefined ? [hash] : [];
}

function judgeReceipts(
  rules: TransactionRules,
  known: Known,
  answers: readonly ReadAnswer[],
): Extract<Verdict, { type: 'confirmed' | 'failed' }> | undefined {
  if (transactionHash(known) !== undefined) return settledByReceipt(rules, known, answers[0]);
  const told = answers
    .flatMap((answer) => settledByReceipt(rules, known, answer) ?? [])
    .filter((verdict) => verdict.type === 'confirmed' && isFree(verdict.outputs, known));
  // That a contract was created is proven, that it is this one is the word of the callback; two words are none.
  return told.length === 1 && told[0] !== undefined ? { ...told[0], grade: 'C' } : undefined;
}

function isFree(made: Readonly<Record<ResourceId, Outputs>>, known: Known): boolean {
  return Object.values<Outputs>(made)
    .flatMap(({ address, transaction }) => [address, transaction])
    .every((name) => name === undefined || !known.isTaken(name));
}

/** The answered transaction had no effect, as its receipt or a callback says; another delivery of the same request may have had it. */
function judgeReverted(
  rules: TransactionRules,
  known: Known,
  failure: Verdict,
  listed: readonly ReadAnswer[],
): Verdict {
  if (!known.late && listed.some(({ type }) => type === 'unreadable')) return { type: 'wait' };
  const unanswered = asUnanswered(known);
  const outputs = isToldApart(unanswered) ? rules.fromListing(unanswered, listed) : undefined;
  return outputs === undefined ? failure : confirmed(known, 'B', outputs);
}

/** What is known without what the service answered: its effect is then looked for by its marks. */
export function asUnanswered(known: Known, callbacks: Known['callbacks'] = known.callbacks): Known {
  return { ...known, outcome: 'ambiguous', ids: {}, callbacks };
}

/** False while another attempt is open that only the pre-image tells from this one: what is new may be its effect. */
export function isToldApart(known: Known): boolean {
  return (
    known.context['before'] === undefined || !known.rivals('open').some((rival) => looksAlike(known, rival))
  );
}

/** Lists show tokens by their ids and everything else by its name; but lists of mints hold no names. */
function looksAlike(one: Pick<Known, 'context' | 'person'>, other: Rival): boolean {
  const [mine, theirs] =
    one.context['to'] === undefined
      ? [one.context['name'] ?? one.person, other.context['name'] ?? other.person]
      : [one.context['tokenId'], other.context['tokenId']];
  return mine === undefined || theirs === undefined || mine === theirs;
}

function judgeCallbacks(rules: TransactionRules, known: Known, answers: readonly ReadAnswer[]): Verdict {
  const success = known.callbacks.find((hint) => hint.claim === 'success');
  if (success !== undefined && answers.length === 0) {
    const outputs = rules.fromCallback(success.facts, known);
    if (outputs) return confirmed(known, 'C', withHash(outputs, success.facts));
  }
  const believed = known.late && success === undefined && answersAll(answers) && isToldFailed(rules, known);
  return believed ? failed('the service reported a failure', known, 'C') : { type: 'wait' };
}

/** True when a callback says failed, about the answered transaction; a container's answer may name none. */
function isToldFailed({ tier }: TransactionRules, known: Known): boolean {
  const hash = transactionHash(known);
  return known.callbacks
    .filter(({ claim }) => claim === 'failed')
    .some(({ facts }) =>
      hash === undefined ? tier === 'container' : sameAddress(hash, textMember(facts, 'transactionHash')),
    );
}

/** True when something could have shown an effect, and all of it was read. */
function answersAll(answers: readonly ReadAnswer[]): boolean {
  return answers.length > 0 && answers.every(({ type }) => type !== 'unreadable');
}

function withHash(outputs: Outputs, facts: JsonObject): Outputs {
  const hash = textMember(facts, 'transactionHash');
  return hash === undefined ? outputs : withMembers(outputs, { transaction: hash });
}

/** The transaction's hash as the service answered it; what a callback names may be somebody else's transaction. */
export function transactionHash(known: Known): string | undefined {
  return textMember(known.ids, 'transactionHash');
}

/** A confirmed verdict for an attempt that makes one resource. */
export function confirmed(
  known: Known,
  grade: Grade,
  outputs: Outputs,
): Extract<Verdict, { type: 'confirmed' }> {
  const [id] = known.resources;
  return { type: 'confirmed', grade, outputs: id === undefined ? {} : recordOf(id, outputs) };
}

function failed(reason: string, known: Known, grade: Grade): Extract<Verdict, { type: 'failed' }> {
  const [told] = known.callbacks.flatMap(({ facts }) => textMember(facts, 'message') ?? []);
  return { type: 'failed', grade, message: told ?? reason, outputs: {} };
}

/** The contract address that a creation callback names: `contract_address`, else its receipt's. */
export function createdAddress(facts: JsonObject): string | undefined {
  return textMember(facts, 'contract_address') ?? textMember(member(facts, 'receipt'), 'contractAddress');
}
