import { isJsonObject, textMember, type Json } from '../model/json.js';
import { WindlassError } from '../model/error.js';
import { failureText, unwrap } from '../protocol/envelope.js';
import { KEY_PATH, REQUIRED_SCOPE, SCOPES, type KeyFacts, type Scope } from '../protocol/key.js';
import { jsonOf } from './classify.js';
import type { HttpResponse } from './exchange.js';
import { cleanMessage } from './redact.js';

/** Longest answer to it. */
const MAX_BYTES = 64_000;

/**
 * What a service tells the key in use about itself; undefined when it tells nothing of the kind, as most services do.
 *
 * @throws REMOTE_UNREACHABLE, REMOTE_RATE_LIMITED, SECRET_MISSING; REMOTE_AUTHENTICATION when the key is refused
 */
export async function readOwnKey(
  get: (path: string, maxBytes: number) => Promise<HttpResponse>,
  basePath: string,
): Promise<KeyFacts | undefined> {
  const response = await get(`${basePath}${KEY_PATH}`, MAX_BYTES).catch((thrown: unknown) => {
    if (thrown instanceof WindlassError && thrown.code === 'REMOTE_ANSWER') return undefined;
    throw thrown;
  });
  if (response === undefined) return undefined;
  const body = jsonOf(response);
  if (response.status === 401 && isJsonObject(body))
    throw new WindlassError('REMOTE_AUTHENTICATION', `HTTP 401: ${cleanMessage(failureText(body), [])}`);
  if (response.status !== 200) return undefined;
  const unwrapped = unwrap(body);
  return unwrapped.type === 'result' ? factsOf(unwrapped.result) : undefined;
}

function factsOf(value: Json): KeyFacts | undefined {
  const [platform_id, organisation_id, name] = ['platform_id', 'organisation_id', 'name'].map((key) =>
    textMember(value, key),
  );
  if (!isJsonObject(value) || platform_id === undefined || organisation_id === undefined) return undefined;
  const { scopes } = value;
  const end = textMember(value, 'expires_at') ?? null;
  if (!Array.isArray(scopes) || (end !== null && Number.isNaN(Date.parse(end)))) return undefined;
  return {
    platform_id,
    organisation_id,
    name: name ?? '',
    scopes: SCOPES.filter((scope) => (scopes as readonly Json[]).includes(scope)),
    expires_at: end,
  };
}

/** The scope that a refusal says is missing; undefined when it says nothing of the kind. */
export function missingScope(body: Json | undefined): Scope | undefined {
  const named = textMember(body, REQUIRED_SCOPE);
  return SCOPES.find((scope) => scope === named);
}
