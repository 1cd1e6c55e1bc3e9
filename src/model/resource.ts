import type { Digest } from './canonical.js';
import type { KindName, ResourceId } from './id.js';
import type { Json, JsonObject } from './json.js';
import type { Personal, Placeholder, Secret } from './value.js';

/** A chain address: literal, or known only when applied. */
export type AddressInput = string | Placeholder;

/** A file beside the plan; `path` is relative to the plan's folder, with `/`. The bytes with this digest are the bytes sent. */
export type FileInput = { readonly path: string; readonly digest: Digest; readonly sizeBytes: number };

/** A Solidity source as uploaded. `filename` is flat; `digest` is of the bytes sent; `path` is where the author keeps it. */
export type SourceInput = FileInput & {
  readonly filename: string;
  /** Bytes sent when imports were rewritten for the flat upload; absent: the file's own bytes. */
  readonly rewritten?: string;
};

/** A package that imports resolve from; `integrity` is the registry's (`sha512-…`), absent while unpinned. */
export type PackageInput = { readonly name: string; readonly version?: string; readonly integrity?: string };

/** Inputs of each kind: what the author wants, loaded, with files digested and names resolved to ids. */
export type InputsOf = {
  readonly wallet:
    | { readonly address: string }
    | {
        readonly name: Secret | Personal;
        readonly email: Secret | Personal;
        readonly ic: Secret | Personal;
      };
  readonly project: { readonly slug: string };
  readonly version: {
    readonly project: ResourceId;
    readonly name: string;
    readonly compiler: {
      readonly solidity: string;
      readonly optimizer: { readonly enabled: boolean; readonly runs: number };
    };
    readonly sources: readonly SourceInput[];
    readonly packages: readonly PackageInput[];
  };
  readonly deployment: {
    readonly version: ResourceId;
    readonly wallet: DeployWallet;
    readonly mode: 'batch' | 'single';
    /** In the order in which they deploy. Existing ones (`{address}`) are not listed. */
    readonly contracts: readonly ResourceId[];
  };
  readonly contract:
    | { readonly address: string }
    | {
        readonly deployment: ResourceId;
        readonly version: ResourceId;
        readonly wallet: DeployWallet;
        /** Solidity name. */
        readonly contract: string;
        /** The source that is meant, where several of the version define the name; never set where one does. */
        readonly source?: ContractSource;
        /** Constructor parameters by name. */
        readonly params: JsonObject;
        /** Their Solidity types by name, as far as the sources tell them; for reports. */
        readonly types?: Readonly<Record<string, string>>;
        readonly signedTransaction?: FileInput;
      };
  readonly 'audit-contract':
    | { readonly address: string }
    | { readonly name: string; readonly encryptData: boolean };
  readonly category: { readonly id: number } | { readonly name: string };
  readonly tag: { readonly id: number } | { readonly name: string };
  readonly 'audit-record': {
    readonly contract: AddressInput;
    readonly signer: AddressInput;
    readonly metadata: Json;
    readonly envelope: 'digest' | 'none';
    readonly categories: readonly ResourceId[];
    readonly tags: readonly ResourceId[];
  };
  readonly 'certificate-contract':
    | { readonly address: string; readonly owner: AddressInput }
    | {
        readonly nickname: string;
        readonly name: string;
        readonly symbol: string;
        readonly deployer: AddressInput;
        readonly owner: AddressInput;
        readonly maxSupply: number;
      };
  readonly certificate: {
    readonly contract: AddressInput;
    readonly owner: AddressInput;
    readonly to: AddressInput;
    readonly name: string;
    readonly description: string;
    /** As sent, without the marker. */
    readonly attributes: readonly { readonly trait: string; readonly value: string }[];
    readonly image: FileInput;
    readonly marker: 'attribute' | 'none';
  };
  readonly transfer: {
    readonly contract: AddressInput;
    /** A certificate of this plan, or the token id of an existing one as decimal text. */
    readonly token: { readonly ref: ResourceId } | { readonly tokenId: string };
    readonly from: AddressInput;
    readonly to: AddressInput;
  };
};

/** A source that defines a contract, and how the service knows it. */
export type ContractSource = {
  /** Relative to the plan's folder. */
  readonly path: string;
  /** As uploaded. */
  readonly filename: string;
  /** Of the text as it is sent. */
  readonly digest: Digest;
};

/** Who signs deployments: a custodial wallet, or a local signer whose transactions the service only forwards. */
export type DeployWallet =
  | { readonly type: 'organisation' | 'end_user'; readonly address: AddressInput }
  | { readonly type: 'non_custodial'; readonly address: string; readonly signer?: LocalSigner };

/** A key that Windlass signs with: an encrypted keystore file and its password, or a raw key; both by reference. */
export type LocalSigner = { readonly keystore: string; readonly password: Secret } | { readonly key: Secret };

/** One thing that a plan declares. */
export interface Resource<K extends KindName = KindName> {
  readonly id: ResourceId;
  readonly kind: K;
  readonly inputs: InputsOf[K];
  /** Direct dependencies: placeholders, explicit `order`, and what the kind itself needs. Each once, stable order. */
  readonly dependsOn: readonly ResourceId[];
  /** Where the plan declares it, for messages. 1-based. */
  readonly declaredAt: { readonly line: number; readonly column: number };
}

/** Any resource, told apart by `kind`. */
export type AnyResource = { [K in KindName]: Resource<K> }[KindName];
