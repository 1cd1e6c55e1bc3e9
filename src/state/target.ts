import type { Digest } from '../model/canonical.js';
import { textMember, type Json, type JsonObject } from '../model/json.js';
import type { KeyAccepted, Target } from './event.js';

/** Keys that a target keeps; the oldest of more go, and are proven again when they are used. */
const MOST_KEYS = 32;

/** Digests of all keys that a lineage accepts, the first one first. */
export function keysOf({ client, keys = [] }: Target): readonly Digest[] {
  return [client, ...keys];
}

/** The target after a key was accepted. */
export function withKey(target: Target, { client, organisation }: KeyAccepted): Target {
  const { client: first, keys = [], chain, ...rest } = target;
  const accepted =
    client === first ? keys : [...keys.filter((key) => key !== client), client].slice(-MOST_KEYS);
  const named = organisation ?? target.organisation;
  return {
    ...rest,
    client: first,
    ...(named !== undefined && { organisation: named }),
    ...(accepted.length > 0 && { keys: accepted }),
    ...(chain !== undefined && { chain }),
  };
}

/**
 * How a target in use stands to the one that a lineage is pinned to. `same`: origin and chain are the same, and the
 * organisation or the key is; `key`: only the key is another one, so that it has to be proven; `other`: nothing proves
 * anything for it. What is unknown on one side differs from nothing.
 */
export function compareTargets(pinned: Target, used: Target): 'same' | 'key' | 'other' {
  const differ = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && other !== undefined && one !== other;
  if (pinned.origin !== used.origin || differ(pinned.chain, used.chain)) return 'other';
  if (differ(pinned.organisation, used.organisation)) return 'other';
  if (keysOf(pinned).includes(used.client)) return 'same';
  if (pinned.origin === 'local') return 'other';
  return pinned.organisation !== undefined && used.organisation !== undefined ? 'same' : 'key';
}

/** A target as messages name it. */
export function describeTarget({ origin, client, organisation, chain }: Target): string {
  const facts = [
    ...(organisation === undefined ? [] : [`organisation ${organisation}`]),
    `key ${fingerprintOf(client)}`,
    ...(chain === undefined ? [] : [`chain ${chain}`]),
  ];
  return `${origin} (${facts.join(', ')})`;
}

/** Twelve hexadecimal digits that name a key among those of a team: the beginning of the digest of its client id. */
export function fingerprintOf(client: Digest): string {
  return client.slice('sha256:'.length, 'sha256:'.length + 12);
}

/** The optional members of a target in a file. */
export function targetMembers(value: Json | undefined): Pick<Target, 'organisation' | 'keys' | 'chain'> {
  const organisation = textMember(value, 'organisation');
  const chain = textMember(value, 'chain');
  const listed = (value as JsonObject | undefined)?.['keys'];
  const keys = Array.isArray(listed)
    ? (listed as readonly Json[]).filter((key): key is Digest => typeof key === 'string')
    : [];
  return {
    ...(organisation !== undefined && { organisation }),
    ...(keys.length > 0 && { keys }),
    ...(chain !== undefined && { chain }),
  };
}
