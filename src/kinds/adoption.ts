import type { KindName, ResourceId } from '../model/id.js';
import type { JsonObject } from '../model/json.js';
import type { Grade, Outputs } from '../state/event.js';
import { adoptAuditContract, adoptCertificateContract, adoptContract } from './adoption-contracts.js';
import { adoptCertificate } from './adoption-certificate.js';
import { adoptAuditRecord, adoptTransfer } from './adoption-facts.js';
import { adoptLabel, adoptProject, adoptVersion, adoptWallet } from './adoption-things.js';
import type { Abilities } from './kind.js';
import type { ReadAnswer, ReadRequest } from './operation.js';

/** What a person says exists, and what it should be. */
export interface AdoptionView {
  readonly id: ResourceId;
  /** Public inputs with every address filled in: of the attempt, or of the plan. */
  readonly inputs: JsonObject;
  /** Pre-image of the attempt; for a thing that no attempt made, the slugs and wallet that reads need. */
  readonly context: JsonObject;
  /** What the person gave, by the names of the kind. */
  readonly given: Readonly<Record<string, string>>;
  readonly abilities: Abilities;
  /** The name of the person whom a wallet is for, where the plan at hand says it. */
  readonly person?: string | undefined;
}

/** What reads make of it. */
export type Appraisal =
  /** It is there; `shown` are the parts of the inputs that reads show, to be compared. */
  | {
      readonly type: 'shown';
      readonly grade: Grade;
      readonly outputs: Outputs;
      readonly shown: JsonObject;
    }
  /** Nothing here can show it: only the person's word stands. */
  | { readonly type: 'unseen'; readonly outputs: Outputs; readonly reason: string }
  | { readonly type: 'contradicted'; readonly reason: string };

/** How a thing that exists already is named and verified. Pure. */
export interface Adoption {
  /** Names that a person may give; the first is needed. */
  readonly names: readonly [string, ...string[]];
  /** The form of each name's value, e.g. `0x…`. */
  readonly form: string;
  /** True when an attempt for it may be sent anew only knowing that a second effect is damage. */
  readonly fact: boolean;
  /** True when a thing that no attempt made may enter the lock, too. */
  readonly adoptable: boolean;
  /** The next reads, given the answers so far; empty when there is nothing more to ask. */
  next(view: AdoptionView, answers: readonly ReadAnswer[]): readonly ReadRequest[];
  /** What the answers to {@link next} show, in the same order. */
  appraise(view: AdoptionView, answers: readonly ReadAnswer[]): Appraisal;
}

/** By kind; a deployment has no state of its own. */
const ADOPTIONS: { readonly [K in KindName]: Adoption | undefined } = {
  wallet: adoptWallet,
  project: adoptProject,
  version: adoptVersion,
  deployment: undefined,
  contract: adoptContract,
  'audit-contract': adoptAuditContract,
  category: adoptLabel('audit.category.list'),
  tag: adoptLabel('audit.tag.list'),
  'audit-record': adoptAuditRecord,
  'certificate-contract': adoptCertificateContract,
  certificate: adoptCertificate,
  transfer: adoptTransfer,
};

/** How a thing of a kind is adopted; undefined for deployments. */
export function adoptionOf(kind: KindName): Adoption | undefined {
  return ADOPTIONS[kind];
}
