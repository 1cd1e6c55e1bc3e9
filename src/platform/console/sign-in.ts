import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { member, textMember, type JsonObject } from '../../model/json.js';
import { ServiceError } from '../handlers/handler.js';
import { keyOfPair } from '../server/access/keys.js';
import { checkRights } from '../server/access/rights.js';
import type { Gate } from '../admission/gate.js';
import type { Reader } from '../state/records.js';
import { isFromConsole, LINK_TIME, type Holder, type Sessions } from './sessions.js';

/** What signing in works on. */
export interface SignInParts {
  readonly gate: Gate;
  readonly reader: Reader;
  readonly sessions: Sessions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether the console is reached by TLS only. */
  readonly secure: () => boolean;
  /** Address of the console, with a trailing slash. */
  readonly url: () => string;
  /** What the platform says of itself, to whoever is signed in. */
  readonly about: () => JsonObject;
}

const SESSION = '/console/session';

/**
 * `POST /console/session` takes an API key, or the code of a link that signs in once, and sets a cookie that no script
 * can read; `GET` tells who is signed in; `DELETE` signs out. `POST /_platform/console-link` makes such a link.
 */
export function mountSignIn(server: FastifyInstance, parts: SignInParts): void {
  const { gate, sessions } = parts;
  server.route({
    method: 'POST',
    url: SESSION,
    bodyLimit: 4096,
    onRequest: async (request) => {
      if (!isFromConsole(request)) throw new ServiceError(403, 'Only the console signs in here.');
    },
    handler: async (request, reply) => {
      const holder = await credentialOf(parts, request);
      if (holder === undefined) throw new ServiceError(401, 'Unauthenticated.');
      setCookie(parts, reply, sessions.open(holder));
      return { message: 'Success', result: null };
    },
  });
  server.route({
    method: 'DELETE',
    url: SESSION,
    onRequest: gate.identify(undefined),
    handler: async (request, reply) => {
      const token = sessions.tokenOf(request);
      if (token !== undefined) sessions.close(token);
      setCookie(parts, reply, '', 0);
      return { message: 'Success', result: null };
    },
  });
  server.route({
    method: 'GET',
    url: SESSION,
    handler: async (request, reply) => {
      // Nobody being signed in is an answer, not an error.
      const result = await gate
        .identify(undefined)(request)
        .then(
          () => sessionOf(parts, request),
          () => null,
        );
      return reply.header('cache-control', 'no-store').send({ message: 'Success', result });
    },
  });
  server.route({
    method: 'POST',
    url: '/_platform/console-link',
    onRequest: gate.identify(undefined),
    handler: async (request) => ({
      message: 'Success',
      result: {
        url: linkOf(parts, gate.keyOf(request)),
        expires_in_seconds: LINK_TIME / 1000,
      },
    }),
  });
}

/** An address that signs in once, with a key. The code stands behind `#`, so that browsers send it nowhere else. */
export function linkOf({ url, sessions }: Pick<SignInParts, 'url' | 'sessions'>, holder: Holder): string {
  return `${url()}#/sign-in/${sessions.link(holder)}`;
}

function sessionOf({ gate, about }: SignInParts, request: FastifyRequest): JsonObject {
  const { org, name, scopes, expires_at } = gate.keyOf(request);
  return { organisation: org, key: name, scopes, expires_at, ...about() };
}

async function credentialOf(parts: SignInParts, { body }: FastifyRequest): Promise<Holder | undefined> {
  const code = textMember(body, 'code');
  if (code !== undefined) return parts.sessions.redeem(code);
  const id = textMember(body, 'client_id');
  const known = await keyOfPair(parts.reader, id, member(body, 'client_secret'));
  if (known) checkRights(known, undefined, parts.now());
  return known;
}

function setCookie(parts: SignInParts, reply: FastifyReply, token: string, age?: number): void {
  const about = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(parts.secure() ? ['Secure'] : [])];
  if (age !== undefined) about.push(`Max-Age=${String(age)}`);
  void reply.header('set-cookie', [`${parts.sessions.cookie}=${token}`, ...about].join('; '));
}
