import { canonicalJson } from '../model/canonical.js';
import { kindOf, type KindName, type ResourceId, type StepId } from '../model/id.js';
import { textMember, type JsonObject } from '../model/json.js';
import { idText } from '../kinds/listing.js';
import type { CallbackHint, Known, Verdict } from '../kinds/operation.js';
import { operationNamed } from '../kinds/registry.js';
import { asUnanswered, isToldApart } from '../kinds/transaction.js';
import type { Other } from '../kinds/maker/difference.js';
import { isConfirmed, isEffectless, isOpen, type Attempt } from '../state/attempt.js';
import type { Outputs } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import { knownOf, lookKnowing, type Looking } from './look.js';
import type { Service } from './ports.js';
import { isFact } from './recheck.js';
import type { Recorder } from './recorder.js';
import { hashOf, madeBy, strangeHints } from './strange-hints.js';
import { unexplainedIn, type Explained } from './unexplained.js';

/** An effect that no step explains, found by the marks of an attempt that was settled without it. */
export interface Repeat {
  readonly step: StepId;
  /** `outputs` by resource where they are known. */
  readonly facts: JsonObject;
}

/** What a look for second effects found. */
export interface FoundRepeats {
  readonly repeats: readonly Repeat[];
  /** What looks like a second effect and was made by somebody else, as reads show: nothing to be done about. */
  readonly others: readonly OtherThing[];
}

/** Something of somebody else, and the step that it looks like. */
export interface OtherThing extends Other {
  readonly step: StepId;
}

/** A version that is sent anew converges; everything else that is done twice is there twice. */
const CONVERGENT = new Set(['version.update']);

/** Later than every time in ISO 8601. */
const NEVER = '~';

/**
 * Looks for effects that settled attempts had beside the known ones. Nothing that this engine does makes any, but a
 * middlebox that delivers a request twice does, and the service cannot tell. Equal lists are read once, however many
 * attempts ask for them. Writes nothing.
 *
 * What only its absence before tells from the work of others is looked for while the attempt is freshly settled, and facts
 * while `sentSince` says so: later a new thing of that name may be anybody's. Marks of our own tell it at any time.
 *
 * @param attempts those to look at; ones that are open, or known to be doubled, are left out
 * @throws REMOTE_* when the service cannot be read
 */
export async function findRepeats(attempts: Iterable<Attempt>, parts: Looking): Promise<FoundRepeats> {
  const { recorder, service } = parts;
  const found: Repeat[] = [];
  const others = new Map<string, OtherThing>();
  const services = new Map<KindName, Pick<Service, 'read'>>();
  let names: ReturnType<typeof namesByResource> | undefined;
  const isOwn = (id: ResourceId, name: string): boolean => {
    names ??= namesByResource(recorder.state);
    return names.get(id)?.has(name.toLowerCase()) === true;
  };
  const explained: Explained = {
    isOwned: (kind, name) =>
      recorder.claims.isOwned(kind, name) || parts.explained?.has(name.toLowerCase()) === true,
  };
  const told = new Set<string>();
  // Attempts of one step share their marks: the effect belongs to the one that had its own.
  const confirmedFirst = [...attempts].sort((a, b) => Number(isConfirmed(b)) - Number(isConfirmed(a)));
  for (const attempt of confirmedFirst) {
    const [resource] = attempt.resources;
    if (resource === undefined || !mayBeDoubled(attempt)) continue;
    // What bears their marks is the effect of the one whose outcome is still looked for.
    if (isOpenIn(resource, recorder.state)) continue;
    const kind = kindOf(resource);
    const unexplained = services.get(kind) ?? unexplainedIn(service, kind, explained);
    services.set(kind, unexplained);
    const isTaken = (name: string): boolean => isOwn(resource, name) || explained.isOwned(kind, name);
    const shown = await besideKnown(attempt, isTaken, { ...parts, service: unexplained });
    for (const thing of shown.others)
      if (!others.has(thing.name.toLowerCase()))
        others.set(thing.name.toLowerCase(), { ...thing, step: attempt.step });
    const { facts } = shown;
    if (facts === undefined || (facts['outputs'] !== undefined && told.has(canonicalJson(facts)))) continue;
    told.add(canonicalJson(facts));
    found.push({ step: attempt.step, facts });
  }
  return { repeats: found, others: [...others.values()] };
}

/** What callbacks and lists show beside the known effect of an attempt; what its marks show comes first. */
async function besideKnown(
  attempt: Attempt,
  isTaken: (name: string) => boolean,
  looking: Looking,
): Promise<{ readonly facts: JsonObject | undefined; readonly others: readonly Other[] }> {
  const made = Object.values<Outputs>(attempt.resolved?.outputs ?? attempt.settled?.outputs ?? {});
  const person = personAtHand(attempt, looking);
  const known: Known = { ...knownOf(attempt, false, looking.recorder), person, isTaken, surplus: true, made };
  const [first, second] = isMarked(known) ? [repeatShown, repeatTold] : [repeatTold, repeatShown];
  const one = await first(attempt, known, looking);
  const other = one?.facts === undefined ? await second(attempt, known, looking) : undefined;
  return { facts: one?.facts ?? other?.facts, others: [one, other].flatMap((shown) => shown?.others ?? []) };
}

/** Nothing is sent for what duplicates show, so the name at hand is good enough, whatever an earlier plan said. */
function personAtHand({ resources: [id] }: Attempt, { recorder }: Looking): string | undefined {
  return id === undefined ? undefined : recorder.people?.names.get(id);
}

/** What one look showed. */
interface Shown {
  readonly facts?: JsonObject | undefined;
  readonly others?: readonly Other[] | undefined;
}

/** The attempts that a success callback says more of than is known: it names an effect that is not the settled one. */
export function contradictedByCallback(attempts: Iterable<Attempt>): readonly Attempt[] {
  const contradicted: Attempt[] = [];
  // One by one: there may be very many.
  for (const attempt of attempts)
    if (mayBeDoubled(attempt) && strangeHints(attempt).length > 0) contradicted.push(attempt);
  return contradicted;
}

/** Keeps what was found, loudly. @throws JOURNAL_WRITE */
export async function recordRepeats(recorder: Recorder, repeats: readonly Repeat[]): Promise<void> {
  if (repeats.length === 0) return;
  await recorder.record(
    ...repeats.map(({ step, facts }) => ({ type: 'step-duplicated', step, facts }) as const),
  );
}

function mayBeDoubled(attempt: Attempt): boolean {
  const { answered, contradicted, operation, resolved } = attempt;
  const settled = isConfirmed(attempt) || isEffectless(attempt) || resolved?.decision === 'adopt';
  return (
    settled && contradicted === undefined && answered?.outcome !== 'not_sent' && !CONVERGENT.has(operation)
  );
}

function isOpenIn(id: ResourceId, state: LineageState): boolean {
  const last = state.lastAttempt(id);
  return last !== undefined && isOpen(last);
}

/** Marks of our own tell its effects from those of all other attempts. */
function isMarked({ context }: Known): boolean {
  return context['before'] === undefined;
}

/**
 * By callbacks, whose word reads confirm; but with the token of another, one may name the effect of what is open, or a
 * second effect of that other. So it names no effect of what has marks: those who bear them are still looked for.
 */
function repeatTold(attempt: Attempt, surplus: Known, looking: Looking): Promise<Shown | undefined> {
  const hints = isEffectless(attempt) ? [] : strangeHints(attempt);
  const isNothing = hints.length === 0 || surplus.rivals('open').length > 0;
  return isNothing ? NOTHING : confirmHint(hints, attempt, surplus, looking);
}

/** Most attempts have nothing to look at. */
const NOTHING = Promise.resolve(undefined);

async function confirmHint(
  hints: readonly CallbackHint[],
  attempt: Attempt,
  surplus: Known,
  looking: Looking,
): Promise<Shown | undefined> {
  for (const hint of hints) {
    const hash = hashOf(hint.facts);
    const deployment = textMember(hint.facts, 'deployment_id');
    const ids = {
      ...(hash !== undefined && { transactionHash: hash }),
      ...(deployment !== undefined && { deploymentId: deployment }),
    };
    const known: Known = { ...surplus, outcome: 'accepted', ids, callbacks: [hint] };
    const { verdict } = await lookKnowing(attempt.operation, known, looking);
    if (verdict.type === 'confirmed' && isUnexplained(verdict, looking))
      return { facts: isMarked(surplus) ? hint.facts : factsOf(verdict) };
  }
  return undefined;
}

/** By lists: the attempt is looked for as if its answer had been lost and its effect were another's. */
function repeatShown(attempt: Attempt, surplus: Known, looking: Looking): Promise<Shown | undefined> {
  const isLate = attempt.at >= (looking.sentSince ?? NEVER) && isFact(attempt.resources);
  const isFresh = isLate || looking.recorder.state.isFresh(attempt.step);
  if (!(isMarked(surplus) || isFresh) || !isToldApart(surplus)) return NOTHING;
  const known = asUnanswered(surplus, []);
  const reads = operationNamed(attempt.operation)?.proofs(known, [], looking.abilities) ?? [];
  return reads.length === 0 ? NOTHING : seeRepeat(attempt, known, looking);
}

async function seeRepeat(attempt: Attempt, known: Known, looking: Looking): Promise<Shown> {
  const { verdict } = await lookKnowing(attempt.operation, known, looking);
  const others = verdict.type === 'failed' ? undefined : verdict.others;
  if (verdict.type === 'confirmed')
    return { others, facts: isUnexplained(verdict, looking) ? factsOf(verdict) : undefined };
  const several = verdict.type === 'wait' && verdict.shown === true && attempt.duplicates.length === 0;
  return { others, facts: several ? { message: 'several things bear the marks of this step' } : undefined };
}

/** Every name that any attempt at a resource, or the lock, gave to it: an attempt without effect may have a successor. */
function namesByResource(state: LineageState): ReadonlyMap<ResourceId, ReadonlySet<string>> {
  const names = new Map<ResourceId, Set<string>>();
  const add = (id: ResourceId, texts: Iterable<string>): void => {
    const known = names.get(id) ?? new Set();
    for (const text of texts) known.add(text.toLowerCase());
    names.set(id, known);
  };
  for (const attempt of state.attempts.values()) {
    const [first] = attempt.resources;
    if (first !== undefined) add(first, madeBy(attempt).flatMap(namesIn));
  }
  for (const { id, outputs } of state.lock?.entries.values() ?? []) add(id, namesIn(outputs));
  return names;
}

function namesIn(value: JsonObject): readonly string[] {
  return Object.values(value).flatMap((item) => idText(item) ?? []);
}

function isUnexplained(
  { outputs }: Extract<Verdict, { type: 'confirmed' }>,
  { recorder: { claims }, explained }: Looking,
): boolean {
  return Object.entries(outputs).every(([id, made]) =>
    [made.transaction, made.address].every(
      (name) =>
        name === undefined ||
        !(claims.isOwned(kindOf(id as ResourceId), name) || explained?.has(name.toLowerCase()) === true),
    ),
  );
}

function factsOf({ outputs }: Extract<Verdict, { type: 'confirmed' }>): JsonObject {
  return { outputs };
}
