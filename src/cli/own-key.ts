import { pinnedTarget } from '../disk/pinned-target.js';
import { LOCAL } from '../model/environment.js';
import { WindlassError } from '../model/error.js';
import type { KeyFacts } from '../protocol/key.js';
import type { Credentials } from '../remote/access.js';
import { openService, type ServiceOptions } from '../remote/service.js';
import { SYSTEM_CLOCK } from './clock.js';
import type { Session } from './session.js';

/** How long before its end a key is worth a warning, in milliseconds: two weeks. */
const NEAR_MS = 14 * 86_400_000;

/**
 * Refuses a key that may not write before anything is sent with it, where the service tells what a key may do.
 *
 * @param what the steps that are to be sent: none need no right; or `to begin`, before a run takes its state: one that
 *   nothing was released to yet belongs to nobody, and a key that may not write shall not claim it
 * @throws REMOTE_SCOPE
 */
export async function requireWriting(
  { plan, place, service }: Pick<Session, 'plan' | 'place' | 'service'>,
  what: 'to begin' | readonly unknown[],
): Promise<void> {
  const { name } = plan.environment;
  // The key of the embedded platform may do everything.
  if (name === LOCAL || what.length === 0) return;
  if (what === 'to begin' && (await pinnedTarget(place)) !== undefined) return;
  const key = await service.ownKey();
  if (key === undefined || key.scopes.includes('write')) return;
  throw new WindlassError(
    'REMOTE_SCOPE',
    `The API key of ${name} lacks the scope write (it has ${scopesText(key)}), so nothing is sent.`,
  );
}

/** What a key may do and until when, as a sentence, and whether its end is near. @param nowMs milliseconds since 1970 */
export function keySentence(key: KeyFacts, nowMs: number): { readonly text: string; readonly ends: boolean } {
  const { expires_at: end, organisation_id: organisation } = key;
  const text = `the key may ${scopesText(key)} for ${organisation}, ${end === null ? 'for ever' : `until ${end}`}`;
  return { text, ends: end !== null && Date.parse(end) - nowMs < NEAR_MS };
}

function scopesText({ scopes }: KeyFacts): string {
  return scopes.length === 0 ? 'nothing' : scopes.join(', ');
}

/** Asks a service about a key, and nothing else. @throws REMOTE_UNREACHABLE, REMOTE_AUTHENTICATION */
export async function askOwnKey({
  baseUrl,
  credentials,
  permissions,
}: Pick<ServiceOptions, 'baseUrl' | 'permissions'> & {
  readonly credentials: Credentials;
}): Promise<KeyFacts | undefined> {
  const nothing = async (): Promise<never> => {
    throw new Error('this question has no body');
  };
  const service = openService({
    baseUrl,
    credentials: async () => credentials,
    clock: SYSTEM_CLOCK,
    files: nothing,
    secrets: nothing,
    capabilities: new Set(),
    ...(permissions && { permissions }),
  });
  try {
    return await service.ownKey();
  } finally {
    await service.close();
  }
}
