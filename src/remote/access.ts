import { WindlassError } from '../model/error.js';
import { AUTH_HEADERS } from '../protocol/endpoint.js';

/** The key of an organisation, as the two headers carry it. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Credentials, read when first needed and kept for the life of a service. */
export interface Access {
  /** Headers of every request. @throws SECRET_MISSING */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** What no message may show: the credentials, once they were read. */
  readonly secrets: () => readonly string[];
}

/** Asks for credentials once; after a failure, again. */
export function openAccess(credentials: () => Promise<Credentials>): Access {
  let known: Credentials | undefined;
  let headers: Promise<Readonly<Record<string, string>>> | undefined;
  const load = async (): Promise<Readonly<Record<string, string>>> => {
    known = checked(await credentials());
    return headersOf(known);
  };
  const forget = (thrown: unknown): never => {
    headers = undefined;
    throw thrown;
  };
  return {
    headers: () => (headers ??= load().catch(forget)),
    secrets: () => (known ? [known.clientSecret, known.clientId] : []),
  };
}

function headersOf({ clientId, clientSecret }: Credentials): Readonly<Record<string, string>> {
  return {
    // Frameworks of the service's kind answer with a redirect or HTML when JSON is not asked for.
    accept: 'application/json',
    'user-agent': 'windlass',
    [AUTH_HEADERS.id]: clientId,
    [AUTH_HEADERS.secret]: clientSecret,
  };
}

function checked(credentials: Credentials): Credentials {
  for (const [name, value] of Object.entries(credentials)) {
    if (!/^[\u0021-\u007e]+$/.test(String(value))) {
      throw new WindlassError(
        'SECRET_MISSING',
        `${name} is empty or holds characters that no header carries.`,
      );
    }
  }
  return credentials;
}
