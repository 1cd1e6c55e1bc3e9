import type { Digest } from '../model/canonical.js';
import { parseCertificateId, parseResourceId, type ResourceId } from '../model/id.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Target } from '../state/event.js';
import type { Lock, LockEntry } from '../state/lock.js';
import type { RunRecord } from '../state/run-book.js';

/** in-toto's type of a statement (https://in-toto.io/Statement/v1). */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** Type of what Windlass states of a release; described by `schemas/attestation.schema.json`. */
export const PREDICATE_TYPE = 'urn:windlass:attestation:release:v1';

/** A file, or several taken together, by digest: an in-toto ResourceDescriptor. */
export interface Descriptor {
  /** Path relative to the plan's folder; a resource id for bytecode. */
  readonly name: string;
  /** For bytecode: chain and address (CAIP-10). */
  readonly uri?: string;
  readonly digest: { readonly sha256: string };
  /** For several files taken together: how many. */
  readonly annotations?: { readonly files: number };
}

/** What Windlass states of a release: everything that went in, where it went, and how each outcome is known. */
export interface Predicate {
  readonly engine: { readonly name: 'windlass'; readonly version: string };
  readonly plan: Descriptor;
  readonly inputs: readonly Descriptor[];
  readonly environment: string;
  readonly target: Target;
  readonly lineage: string;
  readonly serial: number;
  readonly runs: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly batches: readonly JsonObject[];
}

/** An in-toto statement about a release. */
export interface Statement {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly Descriptor[];
  readonly predicateType: typeof PREDICATE_TYPE;
  readonly predicate: Predicate;
}

/** What a node showed at the address of a locked contract: the digest of the runtime code, or that there is none. */
export interface SeenCode {
  readonly id: ResourceId;
  readonly address: string;
  readonly code: Digest | 'absent';
}

/** What an attestation is made from. */
export interface AttestationParts {
  readonly engineVersion: string;
  readonly environment: string;
  readonly plan: Descriptor;
  readonly inputs: readonly Descriptor[];
  /** Lockfile first, then the files of batches. */
  readonly lockfiles: readonly Descriptor[];
  readonly lock: Lock;
  readonly runs: readonly RunRecord[];
  /** Those that have code. */
  readonly codes: readonly SeenCode[];
}

/** Kinds that have code on the chain. */
const WITH_CODE: readonly string[] = ['contract', 'audit-contract', 'certificate-contract'];

/**
 * The statement about a release. Equal releases have equal statements: no time but those of the journal stands in it.
 * It holds ids, addresses, hashes, digests and times; no name, key or cell of a row, and no secret.
 */
export function statementOf(parts: AttestationParts): Statement {
  const { lock, environment, plan, inputs } = parts;
  return {
    _type: STATEMENT_TYPE,
    subject: [...parts.lockfiles, ...parts.codes.map((code) => codeDescriptor(code, lock.target))],
    predicateType: PREDICATE_TYPE,
    predicate: {
      engine: { name: 'windlass', version: parts.engineVersion },
      plan,
      inputs,
      environment,
      ...derivedFromLock(lock),
      runs: parts.runs.map(runOf),
    },
  };
}

/** The members of a predicate that follow from the lock alone, so that they can be checked against it. */
export function derivedFromLock(
  lock: Lock,
): Pick<Predicate, 'target' | 'lineage' | 'serial' | 'resources' | 'batches'> {
  const entries = [...lock.entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { origin, client, chain } = lock.target;
  return {
    target: { origin, client, ...(chain !== undefined && { chain }) },
    lineage: lock.lineage,
    serial: lock.serial,
    resources: entries.filter(({ id }) => parseCertificateId(id) === undefined).map(resourceOf),
    batches: batchesOf(entries),
  };
}

/** The locked contracts that have code on the chain. */
export function lockedContracts(
  lock: Lock,
): readonly { readonly id: ResourceId; readonly address: string }[] {
  return [...lock.entries.values()]
    .filter(({ kind }) => WITH_CODE.includes(kind))
    .flatMap(({ id, outputs: { address } }) => (address === undefined ? [] : [{ id, address }]))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A descriptor of a file. */
export function fileDescriptor(name: string, digest: Digest): Descriptor {
  return { name, digest: { sha256: digest.slice('sha256:'.length) } };
}

/** True for the subject of a contract's bytecode. */
export function isCode({ name, uri }: Descriptor): boolean {
  return uri !== undefined || WITH_CODE.includes(parseResourceId(name)?.kind ?? '');
}

function codeDescriptor({ id, address, code }: SeenCode, { chain }: Target): Descriptor {
  const chainId = chain?.split(':')[0];
  return {
    name: id,
    ...(chainId !== undefined && { uri: `eip155:${chainId}:${address}` }),
    digest: { sha256: code.slice('sha256:'.length) },
  };
}

function resourceOf({ id, outputs, grade, at, digest, step }: LockEntry): JsonObject {
  const { address, transaction } = outputs;
  const bytecode = outputs['bytecode'];
  return {
    id,
    inputs: digest,
    ...(address !== undefined && { address }),
    ...(transaction !== undefined && { transaction }),
    ...(bytecode !== undefined && { bytecode }),
    evidence: grade,
    settledOn: at,
    ...(step !== undefined && { step }),
  };
}

/** How many certificates of a batch are known how well; the rows themselves may be about people. */
function batchesOf(entries: readonly LockEntry[]): readonly JsonObject[] {
  const batches = new Map<string, LockEntry[]>();
  for (const entry of entries) {
    const name = parseCertificateId(entry.id)?.batch;
    if (name === undefined) continue;
    const rows = batches.get(name) ?? [];
    rows.push(entry);
    batches.set(name, rows);
  }
  return [...batches].map(([name, rows]) => {
    const grades = [...new Set(rows.map(({ grade }) => grade))].sort();
    const count = (wanted: string): number => rows.filter(({ grade }) => grade === wanted).length;
    const evidence = Object.fromEntries(grades.map((grade) => [grade, count(grade)]));
    return { name, rows: rows.length, evidence };
  });
}

function runOf({ started, ended }: RunRecord): JsonObject {
  const { run, engine, plan, changeSet, at } = started;
  const end: Json = ended === undefined ? {} : { finishedOn: ended.at, result: ended.result };
  return { id: run, engine, plan, changeSet, startedOn: at, ...end };
}
