/**
 * What an API key may do. Each stands for itself: `write` alone lets nobody read.
 *
 * `read`: every question, also those that are posted; `write`: what changes the organisation's things; `operate`: keys,
 * organisation wallets, callbacks, faults and the clock of the platform itself.
 */
export const SCOPES = ['read', 'write', 'operate'] as const;

/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/**
 * Where the embedded platform tells a key about itself, whatever its scopes, in the message envelope. Other services do
 * not know the path.
 */
export const KEY_PATH = '/api/key';

/** What {@link KEY_PATH} answers. */
export interface KeyFacts {
  /** Names the platform's data: the same whatever its address, until a reset. */
  readonly platform_id: string;
  /** Names the organisation within the platform: the same for all its keys. */
  readonly organisation_id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601, UTC; null: never. */
  readonly expires_at: string | null;
}

/** Member of a 403 that names the {@link Scope} that was missing. */
export const REQUIRED_SCOPE = 'required_scope';
