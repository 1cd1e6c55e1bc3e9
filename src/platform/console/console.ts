import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../model/json.js';
import { mountPage } from './assets.js';
import { mountConsoleRoutes, type RouteParts } from './routes.js';
import type { Sessions } from './sessions.js';
import { mountSignIn } from './sign-in.js';

/** What the console is made of. */
export interface ConsoleParts extends RouteParts {
  readonly sessions: Sessions;
  /** Address of the console, with a trailing slash. */
  readonly url: () => string;
  /** What the platform says of itself, to whoever is signed in. */
  readonly about: () => JsonObject;
}

/**
 * The console: a page for people below `/console/`, signing in, and the reads of `/_platform/console` that only it
 * needs. Everything it shows is of the organisation whose key signed in.
 */
export function mountConsole(server: FastifyInstance, parts: ConsoleParts): void {
  const { context, gate, sessions, url, about, requests } = parts;
  requests.watch(server);
  mountPage(server);
  const secure = (): boolean => url().startsWith('https:');
  mountSignIn(server, { gate, reader: context.records, now: context.now, sessions, secure, url, about });
  mountConsoleRoutes(server, parts);
}
