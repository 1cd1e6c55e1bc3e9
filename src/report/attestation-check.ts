import { parseBoundedJson } from '../model/bounded-json.js';
import { canonicalJson } from '../model/canonical.js';
import { WindlassError } from '../model/error.js';
import { isJsonObject, member, textMember, type Json } from '../model/json.js';
import type { Lock } from '../state/lock.js';
import {
  derivedFromLock,
  isCode,
  PREDICATE_TYPE,
  STATEMENT_TYPE,
  type Descriptor,
  type SeenCode,
  type Statement,
} from './attestation.js';

/** What an attestation says of one thing, beside what is there now. */
export interface AttestationFinding {
  readonly what: 'lockfile' | 'plan' | 'input' | 'bytecode';
  readonly name: string;
  /** `unread`: there is nobody to ask, so that it is neither the same nor different. */
  readonly outcome: 'same' | 'differs' | 'missing' | 'unattested' | 'unread';
}

/** What stands in the plan's folder and on the chain now. */
export interface Present {
  readonly lockfiles: readonly Descriptor[];
  /** Undefined while the lockfile cannot be read. */
  readonly lock: Lock | undefined;
  readonly plan: Descriptor | undefined;
  /** Undefined while the plan cannot be loaded. */
  readonly inputs: readonly Descriptor[] | undefined;
  /** Undefined when no node can be asked; a contract that the node does not tell of is left out. */
  readonly codes: readonly SeenCode[] | undefined;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** Reads a statement. @throws ATTESTATION_TAMPERED when it is not one that `windlass attest` wrote */
export function parseStatement(text: string): Statement {
  const value = parseJson(text);
  const predicate = member(value, 'predicate');
  const isOurs =
    textMember(value, '_type') === STATEMENT_TYPE && textMember(value, 'predicateType') === PREDICATE_TYPE;
  if (!isOurs || !isJsonObject(predicate)) throw tampered('it is not a statement about a release');
  const listed = [member(value, 'subject'), member(predicate, 'inputs'), [member(predicate, 'plan') ?? null]];
  if (!listed.every((list) => Array.isArray(list) && (list as readonly Json[]).every(isDescriptor))) {
    throw tampered('a digest in it is missing or malformed');
  }
  if (textMember(predicate, 'environment') === undefined) throw tampered('it names no environment');
  return value as unknown as Statement;
}

/**
 * Compares a statement with what is there.
 *
 * @throws ATTESTATION_TAMPERED when the lockfile is the attested one but the statement says other things of it
 */
export function compareAttestation(statement: Statement, present: Present): readonly AttestationFinding[] {
  const { subject, predicate } = statement;
  const files = subject.filter((descriptor) => !isCode(descriptor));
  const lockfiles = compareFiles('lockfile', files, present.lockfiles);
  if (present.lock !== undefined && lockfiles.every(({ outcome }) => outcome === 'same')) {
    checkConsistent(statement, present.lock);
  }
  const plan = compareFiles('plan', [predicate.plan], present.plan === undefined ? [] : [present.plan]);
  const inputs: readonly AttestationFinding[] =
    present.inputs === undefined
      ? predicate.inputs.map(({ name }) => ({ what: 'input', name, outcome: 'unread' }))
      : compareFiles('input', predicate.inputs, present.inputs);
  return [...lockfiles, ...plan, ...inputs, ...compareCodes(subject.filter(isCode), present.codes)];
}

/** True when the attestation does not hold. */
export function isBroken({ outcome }: AttestationFinding): boolean {
  return outcome !== 'same' && outcome !== 'unread';
}

function compareFiles(
  what: AttestationFinding['what'],
  attested: readonly Descriptor[],
  there: readonly Descriptor[],
): readonly AttestationFinding[] {
  const found = new Map(there.map((descriptor) => [descriptor.name, descriptor.digest.sha256]));
  const names = new Set(attested.map(({ name }) => name));
  const extra = there.filter(({ name }) => !names.has(name));
  return [
    ...attested.map(({ name, digest }): AttestationFinding => {
      const now = found.get(name);
      if (now === undefined) return { what, name, outcome: 'missing' };
      return { what, name, outcome: now === digest.sha256 ? 'same' : 'differs' };
    }),
    ...extra.map(({ name }): AttestationFinding => ({ what, name, outcome: 'unattested' })),
  ];
}

function compareCodes(
  attested: readonly Descriptor[],
  codes: readonly SeenCode[] | undefined,
): readonly AttestationFinding[] {
  return attested.map(({ name, uri, digest }): AttestationFinding => {
    if (codes === undefined) return { what: 'bytecode', name, outcome: 'unread' };
    const seen = codes.find(({ id }) => id === name);
    if (seen === undefined) return { what: 'bytecode', name, outcome: 'unread' };
    if (seen.code === 'absent') return { what: 'bytecode', name, outcome: 'missing' };
    const sameAddress = uri === undefined || uri.toLowerCase().endsWith(`:${seen.address.toLowerCase()}`);
    const same = sameAddress && seen.code === `sha256:${digest.sha256}`;
    return { what: 'bytecode', name, outcome: same ? 'same' : 'differs' };
  });
}

function checkConsistent({ predicate }: Statement, lock: Lock): void {
  for (const [name, expected] of Object.entries(derivedFromLock(lock))) {
    const said = member(predicate, name) ?? null;
    if (canonicalJson(said) !== canonicalJson(expected as unknown as Json)) {
      throw tampered(`its \`${name}\` is not what the attested lockfile holds`);
    }
  }
}

function isDescriptor(value: Json): boolean {
  const sha256 = textMember(member(value, 'digest'), 'sha256');
  return textMember(value, 'name') !== undefined && sha256 !== undefined && SHA256.test(sha256);
}

function parseJson(text: string): Json {
  try {
    return parseBoundedJson(text);
  } catch {
    throw tampered('the statement is not JSON');
  }
}

function tampered(why: string): WindlassError {
  return new WindlassError('ATTESTATION_TAMPERED', `The attestation cannot be trusted: ${why}.`);
}
