import type { ChangeSet } from '../model/change.js';
import type { ResourceId } from '../model/id.js';
import { isJsonObject, member, type Json } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import { resourcesById } from '../model/resource-map.js';
import type { AnyResource, FileInput, LocalSigner } from '../model/resource.js';
import type { SecretSource } from '../model/value.js';
import type { Attempt } from '../state/attempt.js';

/** What the steps of a run need beside the platform, so that none fails for it once others were made. */
export interface Needs {
  /** Secrets that requests carry, each once. */
  readonly secrets: readonly { readonly of: ResourceId; readonly source: SecretSource }[];
  /** Keys that sign here, each address once. */
  readonly signers: readonly {
    readonly of: ResourceId;
    readonly address: string;
    readonly signer: LocalSigner;
  }[];
  /** Transactions that were signed elsewhere. */
  readonly signed: readonly { readonly of: ResourceId; readonly address: string; readonly file: FileInput }[];
}

const MAKING: ReadonlySet<string> = new Set(['create', 'deploy', 'replace', 'update']);

/** What the changes need that are not under way already. */
export function needsOf({ changes }: ChangeSet, plan: Plan, open: readonly Attempt[]): Needs {
  const sent = new Set(open.flatMap(({ resources }) => resources));
  const resources = resourcesById(plan.resources);
  const making = changes
    .filter(({ id, action }) => MAKING.has(action) && !sent.has(id))
    .flatMap(({ id }) => resources.get(id) ?? []);
  const deploying = making.flatMap(nonCustodial);
  return {
    secrets: distinct(
      making.flatMap(({ id, kind, inputs }) =>
        // Keys are read as keys, below.
        kind === 'contract' ? [] : secretsIn(inputs as Json).map((source) => ({ of: id, source })),
      ),
      ({ source }) => JSON.stringify(source),
    ),
    signers: distinct(
      deploying.flatMap(({ of, address, signer }) => (signer === undefined ? [] : [{ of, address, signer }])),
      ({ address, signer }) => JSON.stringify([address.toLowerCase(), signer]),
    ),
    signed: deploying.flatMap(({ of, address, file }) => (file === undefined ? [] : [{ of, address, file }])),
  };
}

function nonCustodial({ id: of, kind, inputs }: AnyResource): readonly {
  readonly of: ResourceId;
  readonly address: string;
  readonly signer: LocalSigner | undefined;
  readonly file: FileInput | undefined;
}[] {
  if (kind !== 'contract' || 'address' in inputs || inputs.wallet.type !== 'non_custodial') return [];
  const { address, signer } = inputs.wallet;
  const file = inputs.signedTransaction;
  return [{ of, address, signer: file === undefined ? signer : undefined, file }];
}

function secretsIn(value: Json): readonly SecretSource[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(secretsIn);
  if (!isJsonObject(value)) return [];
  const source = member(value, '$secret');
  return isJsonObject(source) ? [source as unknown as SecretSource] : Object.values(value).flatMap(secretsIn);
}

function distinct<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...new Map(items.toReversed().map((item) => [key(item), item])).values()].toReversed();
}
