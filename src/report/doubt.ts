import { kindOf, type ResourceId, type StepId } from '../model/id.js';
import { textMember, type Json, type JsonObject } from '../model/json.js';
import { adoptionOf } from '../kinds/adoption.js';
import { idText } from '../kinds/listing.js';
import { instanceOf } from '../execute/resolve.js';
import { endpointOf, type EndpointName } from '../protocol/endpoint.js';
import { isConfirmed, isOpen, type Attempt } from '../state/attempt.js';
import type { Looked } from '../state/event.js';
import type { LineageState } from '../state/project.js';
import { counted } from './palette.js';
import { commandLine } from './shell-word.js';

/** Where a printed command line is meant to be run. */
export interface CommandPlace {
  readonly environment: string;
  /** The plan as it was named; undefined for the default one. */
  readonly plan?: string;
}

/** A step whose outcome a person may have to settle, with all that the journal says of it. */
export interface Doubt {
  readonly step: StepId;
  /** `open`: a run did not end with it yet; `reopened`: a sign of an effect came after it counted as without. */
  readonly state: 'open' | 'undecided' | 'reopened' | 'duplicate';
  readonly resources: readonly ResourceId[];
  /** What was asked for, in words, e.g. `mint a certificate`. */
  readonly operation: string;
  /** Where it was sent, e.g. `POST /api/certificate/mint-certificate`. */
  readonly endpoint: string;
  /** When it was sent, ISO 8601 UTC. */
  readonly sentAt: string;
  readonly answer: { readonly outcome: string; readonly status?: number; readonly message?: string } | null;
  readonly callbacks: readonly { readonly at: string; readonly claim: string }[];
  readonly looked: readonly Looked[];
  /** It is proven to have taken effect, so that a duplicate is a second effect of the same request. */
  readonly confirmed: boolean;
  /** When it was given up, or contradicted. */
  readonly since?: string;
  /** For what took effect late: that effect, and the one that the lock holds. */
  readonly effects: readonly { readonly step?: StepId; readonly facts: Json }[];
  /** Every line that may settle it; words in capitals are to be replaced. */
  readonly lines: readonly string[];
}

/** How many doubts are of each kind; `open` ones wait for a run, the others for a person. */
export interface DoubtCounts {
  readonly duplicate: number;
  readonly undecided: number;
  readonly open: number;
}

/** Counts doubts by who has to act. */
export function countDoubts(doubts: readonly Doubt[]): DoubtCounts {
  const count = (...states: readonly Doubt['state'][]): number =>
    doubts.filter(({ state }) => states.includes(state)).length;
  return { duplicate: count('duplicate'), undecided: count('undecided', 'reopened'), open: count('open') };
}

/** The code of the worst doubt; undefined when there is none. */
export function codeOfDoubts(
  doubts: readonly Doubt[],
): 'STEP_DUPLICATE' | 'STEP_UNDECIDED' | 'STEP_OPEN' | undefined {
  const { duplicate, undecided, open } = countDoubts(doubts);
  if (duplicate > 0) return 'STEP_DUPLICATE';
  if (undecided > 0) return 'STEP_UNDECIDED';
  return open > 0 ? 'STEP_OPEN' : undefined;
}

/** `1 step may have taken effect twice, of 2 steps the outcome is not known`; empty when there is no doubt. */
export function doubtCountsText({ duplicate, undecided, open }: DoubtCounts): string {
  return [
    ...(duplicate > 0 ? [`${counted(duplicate, 'step')} may have taken effect twice`] : []),
    ...(undecided > 0 ? [`of ${counted(undecided, 'step')} the outcome is not known`] : []),
    ...(open > 0 ? [`${counted(open, 'step')} ${open === 1 ? 'is' : 'are'} sent and open`] : []),
  ].join(', ');
}

const OPERATIONS: Readonly<Record<string, readonly [words: string, endpoint: EndpointName]>> = {
  'wallet.create': ['create a wallet', 'wallet.create-user'],
  'project.create': ['create a project', 'project.create'],
  'version.create': ['create a contract version', 'version.create'],
  'version.update': ['update a contract version', 'version.update'],
  'contract.deploy': ['deploy', 'version.deploy'],
  'audit-contract.create': ['create an audit contract', 'audit.contract.create'],
  'category.create': ['create a category', 'audit.category.create'],
  'tag.create': ['create a tag', 'audit.tag.create'],
  'audit-record.create': ['write an audit record', 'audit.record.create'],
  'certificate-contract.create': ['create a certificate contract', 'certificate.contract.create'],
  'certificate.mint': ['mint a certificate', 'certificate.mint'],
  'certificate.transfer': ['transfer a certificate', 'certificate.transfer'],
};

/** The doubts of a lineage, oldest first. */
export function doubtsOf(state: LineageState, place: CommandPlace): readonly Doubt[] {
  return state.unprovenAttempts
    .filter((attempt) => isOpen(attempt) || attempt.contradicted !== undefined)
    .map((attempt) => doubtOf(attempt, state, place));
}

function doubtOf(attempt: Attempt, state: LineageState, place: CommandPlace): Doubt {
  const { step, resources, answered, evidence, settled, contradicted } = attempt;
  const [words, endpoint] = OPERATIONS[attempt.operation] ?? [attempt.operation, undefined];
  const since = attempt.duplicates.at(-1)?.at ?? settled?.at;
  const givenUp = settled?.state === 'undecided' ? 'undecided' : 'open';
  return {
    step,
    state: contradicted ?? givenUp,
    resources,
    operation: words,
    endpoint: spelled(endpoint),
    sentAt: attempt.at,
    answer: answerOf(answered),
    callbacks: evidence.flatMap(({ via, at, claim }) => (via === 'callback' ? [{ at, claim }] : [])),
    looked: settled?.looked ?? [],
    confirmed: isConfirmed(attempt),
    ...(since !== undefined && { since }),
    effects: contradicted === undefined ? [] : effectsOf(attempt, state),
    lines: linesOf(attempt, place),
  };
}

function spelled(name: EndpointName | undefined): string {
  if (name === undefined) return 'an endpoint that this version does not know';
  const { method, path } = endpointOf(name);
  return `${method} ${path}`;
}

function answerOf(answered: Attempt['answered']): Doubt['answer'] {
  if (answered === undefined) return null;
  const { outcome, status, message } = answered;
  return {
    outcome,
    ...(status !== undefined && { status }),
    ...(message !== undefined && { message }),
  };
}

/** The late effect as its sign tells of it, and what the lock holds of the same resources. */
function effectsOf({ step, resources, duplicates }: Attempt, state: LineageState): Doubt['effects'] {
  const late = duplicates.at(-1);
  const locked = resources.flatMap((id) => state.lock?.entries.get(id) ?? []);
  return [
    ...(late === undefined ? [] : [{ step, facts: late.facts }]),
    ...locked.map((entry) => ({
      ...(entry.step !== undefined && { step: entry.step }),
      facts: entry.outputs,
    })),
  ];
}

function linesOf(attempt: Attempt, place: CommandPlace): readonly string[] {
  const { step, resources, contradicted } = attempt;
  const fact = resources.some((id) => adoptionOf(kindOf(id))?.fact === true);
  const begin = ['windlass', 'resolve', step, ...(place.plan === undefined ? [] : [place.plan])];
  const where = place.environment === 'local' ? [] : ['--env', place.environment];
  const line = (...words: string[]): string => commandLine([...begin, ...where, ...words]);
  const absent = ['--absent', '--statement', 'WHAT YOU LOOKED AT', '--confirm', step];
  const keep = line('--keep', '--statement', 'WHAT YOU LOOKED AT');
  if (isConfirmed(attempt)) return [keep];
  return [
    line('--adopt', ...pairsOf(attempt)),
    ...(contradicted === 'duplicate' ? [keep] : []),
    line(...absent, ...(fact ? ['--accept-possible-duplicate'] : [])),
  ];
}

/** `name=value` for what must be named; filled in where the service's answer or a callback told it. */
function pairsOf({ resources, answered, evidence, duplicates }: Attempt): readonly string[] {
  const [first] = resources;
  if (resources.length > 1) return resources.map((id) => `${instanceOf(id)}=0xADDRESS`);
  const adoption = first === undefined ? undefined : adoptionOf(kindOf(first));
  if (adoption === undefined) return [];
  const told = [answered?.ids, duplicates.at(-1)?.facts, evidence.at(-1)?.facts];
  const [name] = adoption.names;
  const value = told.map((facts) => toldIn(facts, name)).find((text) => text !== undefined);
  return [`${name}=${value ?? blank(adoption.form, name)}`];
}

const TOLD_AS: Readonly<Record<string, readonly string[]>> = {
  tx: ['transactionHash'],
  token: ['tokenId'],
  address: ['address', 'contract_address'],
};

function toldIn(facts: JsonObject | undefined, name: string): string | undefined {
  const found = (TOLD_AS[name] ?? [name]).map((key) => textMember(facts, key) ?? idText(facts?.[key]));
  return found.find((text) => text !== undefined);
}

function blank(form: string, name: string): string {
  return form === '0x…' ? `0x${name.toUpperCase()}` : form;
}
