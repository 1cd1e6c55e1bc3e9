import type { ErrorCode } from '../model/error-codes.js';
import type { ResourceId } from '../model/id.js';
import type { Json, JsonObject } from '../model/json.js';
import type { AnyResource, FileInput, LocalSigner, SourceInput } from '../model/resource.js';
import type { EndpointName } from '../protocol/endpoint.js';
import type { Grade, Outcome, Outputs } from '../state/event.js';
import type { Abilities, Knowledge } from './kind.js';
import type { Other } from './maker/difference.js';

/** A read, as a name and JSON. Lists are read whole, page by page. */
export type ReadRequest =
  | {
      readonly type: 'service';
      readonly endpoint: EndpointName;
      readonly params?: Readonly<Record<string, string>>;
      readonly query?: Readonly<Record<string, string>>;
      /** The list is asked for again and again: nothing leaves it, and the newest entries come first. */
      readonly growing?: true;
    }
  /** Receipt of a transaction: from the chain where it can be read, else from the `receipts` capability. */
  | { readonly type: 'receipt'; readonly hash: string }
  /** Digest of the runtime code at an address; `absent` when there is none. Chain only. */
  | { readonly type: 'code'; readonly address: string }
  /** Whom a contract names as its owner (ERC-173), as a checksum address; `unreadable` when it names none. Chain only. */
  | { readonly type: 'owner'; readonly address: string }
  /**
   * What signing needs to know of an account: `{nonce, chainId, gasPrice, creates}`; `creates` are the addresses of
   * the next `count` contracts it makes. From the chain, else from the `utils` and `receipts` capabilities.
   */
  | { readonly type: 'account'; readonly address: string; readonly count: number }
  /**
   * Which of these contracts a wallet created by its own transactions: `{address: nonce}`, addresses in lower case, null for
   * those that it did not. From the chain, else from the `receipts` capability.
   */
  | { readonly type: 'created'; readonly wallet: string; readonly addresses: readonly string[] }
  /** A file of the service by URL (same origin only); the answer is its digest, and its text when that is asked for. */
  | { readonly type: 'file'; readonly url: string; readonly text?: true };

/** The answer to a read. `absent` is the service's 404; `unreadable` says nothing about existence. */
export type ReadAnswer =
  | { readonly type: 'found'; readonly value: Json; readonly source: 'read' | 'chain' }
  | { readonly type: 'absent' }
  | { readonly type: 'unreadable'; readonly message: string };

/** A file part of a multipart request; its bytes are read and checked against the digest when it is sent. */
export interface FilePart {
  readonly field: string;
  readonly filename: string;
  readonly file: FileInput | SourceInput;
}

/**
 * A write, as a name and JSON. `body` may hold `$secret` and `$personal` marks, which the door that sends it
 * fills; form bodies are nested objects that the door spells as `a[b][c]`. Two more marks are filled by it:
 * `{"$text": FileInput}` becomes the file's text, `{"$signed": UnsignedDeployment}` a signed raw transaction.
 */
export interface WriteRequest {
  readonly endpoint: EndpointName;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly files?: readonly FilePart[];
  /** The service takes a `callback_url` here. */
  readonly takesCallback: boolean;
}

/** A deployment that the door encodes and signs with the wallet's local key just before it is sent. */
export interface UnsignedDeployment {
  readonly from: string;
  readonly nonce: number;
  readonly chainId: number;
  /** Wei, decimal text. */
  readonly gasPrice: string;
  readonly abi: readonly JsonObject[];
  readonly bytecode: string;
  readonly params: JsonObject;
  readonly signer: LocalSigner;
}

/** What a step is about when its request is built. */
export interface StepView {
  readonly resources: readonly AnyResource[];
  readonly knowledge: Knowledge;
  /** 32 base32 characters that identify the step across attempts; public. */
  readonly key: string;
  /** Outputs for a resource outside `resources`; every dependency is settled. */
  addressOf(id: ResourceId): string;
}

/** A request, or the reason why none may be sent. `context` is all that proofs need; it is journaled as the pre-image. */
export type Prepared =
  | {
      readonly type: 'write';
      readonly request: WriteRequest;
      readonly context: JsonObject;
      readonly inputs: Readonly<Record<ResourceId, Json>>;
    }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly message: string };

/** What is known of an attempt so far. */
export interface Known {
  /** Resources that the attempt makes, in order. */
  readonly resources: readonly ResourceId[];
  readonly context: JsonObject;
  /** The name of the person whom a wallet is for, where the plan at hand says it: it is journaled nowhere. */
  readonly person?: string | undefined;
  /** Public inputs of each resource, as they were sent; placeholders stand for what was not known then. */
  readonly inputs?: Readonly<Record<ResourceId, Json>>;
  /** What the attempt is known to have made. */
  readonly made?: readonly Outputs[];
  /** How the answer was classed; undefined while none came (or a crash cut it off). */
  readonly outcome: Outcome | undefined;
  /** The service's names for the thing, from the answer. */
  readonly ids: JsonObject;
  /** Callbacks in order of arrival: hints. */
  readonly callbacks: readonly CallbackHint[];
  /** The horizon has passed: what reads do not show by now is not coming by itself. */
  readonly late: boolean;
  /** True for what proves another attempt for this kind of resource already (a transaction, an address, an id): one effect proves one step. */
  isTaken(name: string): boolean;
  /**
   * The attempt is settled and its own effects are taken: whatever else bears its marks is a second one, as a middlebox
   * makes it that delivers a request twice.
   */
  readonly surplus: boolean;
  /** Other attempts of the operation that were under way while this one was: what they make looks like its own. `open`: those that still are. */
  rivals(which?: 'open'): readonly Rival[];
}

/** Another attempt, as far as proofs must know of it. */
export interface Rival {
  readonly context: JsonObject;
  /** As of {@link Known}. */
  readonly person?: string | undefined;
  /** Its outcome is not known. */
  readonly open: boolean;
}

/** A callback of the attempt: a hint, whatever it says. */
export interface CallbackHint {
  readonly claim: 'success' | 'failed' | 'unparsed';
  readonly facts: JsonObject;
}

/**
 * What the evidence proves. `failed` is proven to have had no effect beyond `outputs`. `others`: what looks like the effect
 * and was made by somebody else.
 */
export type Verdict =
  | {
      readonly type: 'confirmed';
      readonly grade: Grade;
      readonly outputs: Readonly<Record<ResourceId, Outputs>>;
      readonly others?: readonly Other[];
    }
  | {
      readonly type: 'failed';
      readonly grade: Grade;
      readonly message: string;
      readonly outputs: Readonly<Record<ResourceId, Outputs>>;
    }
  /** `shown`: something is there that may be the effect, so that it is not absent. */
  | { readonly type: 'wait'; readonly shown?: true; readonly others?: readonly Other[] };

/**
 * Nothing is proven yet.
 *
 * @param candidates what is there and may be the effect
 * @param others what somebody else made
 */
export function undecidedAmong(candidates: readonly unknown[], others: readonly Other[] = []): Verdict {
  const shown = candidates.length === 0 ? {} : ({ shown: true } as const);
  return { type: 'wait', ...shown, ...(others.length > 0 && { others }) };
}

/** One kind of write: how it is built and how its outcome is proven. Pure. */
export interface Operation {
  /** The next reads before the request is built (artifact ids, the pre-image), given the answers so far. */
  prepare(view: StepView, answers: readonly ReadAnswer[]): readonly ReadRequest[];
  /** The request, from the answers to {@link prepare}. */
  request(view: StepView, answers: readonly ReadAnswer[]): Prepared;
  /** The service's ids in an answer; undefined when it lacks what it must have, which makes it ambiguous. */
  accept(result: Json, context: JsonObject): JsonObject | undefined;
  /** The next reads that could prove the outcome, given the answers so far; empty when there is nothing more to ask. */
  proofs(known: Known, answers: readonly ReadAnswer[], abilities: Abilities): readonly ReadRequest[];
  /** What the answers (in the order of {@link proofs}) and callbacks prove. */
  judge(known: Known, answers: readonly ReadAnswer[], abilities: Abilities): Verdict;
  /** True when reads are made and yet none of them can ever tell the outcome; callbacks apart. */
  isBlind?(known: Known, abilities: Abilities): boolean;
  /** Why the request may not be sent while another attempt is open, whose pre-image is `other`; undefined when it may. */
  bars?(context: JsonObject, other: JsonObject): string | undefined;
  /** Members of the request's body that are equal for all rows of a batch. */
  readonly shared?: readonly string[];
  /** True when nothing calls back, so that reads should begin at once. */
  readonly silent?: true;
}
