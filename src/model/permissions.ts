import { WindlassError } from './error.js';
import { isOwnVariable, PLAN_PREFIX, type OwnEnvironment } from './own-variables.js';

/**
 * What the operator of a machine lets plans do there. Whoever may change a plan may not change this: it comes from the
 * environment of the process alone.
 */
export interface Permissions {
  /** `WINDLASS_ALLOW_ENV`: variables that plans may read beside those that begin with `WINDLASS_VAR_`. */
  readonly variables: ReadonlySet<string>;
  /** `WINDLASS_ALLOW_HTTP`: hosts (`host` or `host:port`, in small letters) that may be reached without TLS. */
  readonly httpHosts: ReadonlySet<string>;
  /** `WINDLASS_ALLOW_ORIGIN`: the only origins that a plan may name, beside this machine's; undefined: any. */
  readonly origins: ReadonlySet<string> | undefined;
  /** `WINDLASS_SECRETS_DIR`, as given: a folder beside the plan's whose files plans may read as secrets. */
  readonly secretsDir: string | undefined;
}

/** Why a plan may not have what it names. */
export interface Forbidden {
  /** One sentence. */
  readonly message: string;
  /** What the author or the operator can do. */
  readonly fix: string;
}

/** What plans may do where nobody said anything. */
export const NOTHING_EXTRA: Permissions = {
  variables: new Set(),
  httpHosts: new Set(),
  origins: undefined,
  secretsDir: undefined,
};

/**
 * The permissions that the environment gives.
 *
 * @throws CLI_USAGE for a list that holds what cannot be meant: a rule that is silently not there would be worse
 */
export function permissionsOf(env: OwnEnvironment): Permissions {
  return {
    variables: new Set(
      listed(
        env,
        'WINDLASS_ALLOW_ENV',
        (name) => (isVariableName(name) ? name : undefined),
        'variable names',
      ),
    ),
    httpHosts: new Set(
      listed(env, 'WINDLASS_ALLOW_HTTP', hostOf, 'hosts, such as service.test or 10.0.0.5:8080'),
    ),
    origins: env['WINDLASS_ALLOW_ORIGIN']?.trim()
      ? new Set(
          listed(env, 'WINDLASS_ALLOW_ORIGIN', originOf, 'origins, such as https://service.example.com'),
        )
      : undefined,
    secretsDir: env['WINDLASS_SECRETS_DIR'] || undefined,
  };
}

/** Why a plan may not read a variable; undefined when it may. */
export function forbiddenVariable(name: string, { variables }: Permissions): Forbidden | undefined {
  if (isOwnVariable(name)) {
    const message = `The variable ${name} belongs to Windlass itself, so no plan may read it.`;
    return { message, fix: `Use a variable of its own: ${PLAN_PREFIX}…` };
  }
  if ((name.startsWith(PLAN_PREFIX) && name.length > PLAN_PREFIX.length) || variables.has(name)) {
    return undefined;
  }
  return {
    message: `A plan may not read the variable ${name}: its name does not begin with ${PLAN_PREFIX}.`,
    fix: `Name it ${PLAN_PREFIX}${name}, or let the operator list it in WINDLASS_ALLOW_ENV.`,
  };
}

/** What an address in a plan is for. A service's own address takes no query; what follows it is Windlass' business. */
export type AddressUse = 'base_url' | 'rpc_url' | 'callbacks.url';

/** Why a plan may not name an address of the network; undefined when it may. */
export function forbiddenAddress(
  text: string,
  use: AddressUse,
  permissions: Permissions,
): Forbidden | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[\\\s\p{Cc}]/u.test(text)) {
    return { message: `${use} is no address of a server.`, fix: 'Write it as https://service.example.com.' };
  }
  if (url.username !== '' || url.password !== '') {
    return {
      message: `${use} holds a user name or password, and a plan is no place for either.`,
      fix: 'Take out what stands before the @.',
    };
  }
  if (use !== 'rpc_url' && (url.search !== '' || url.hash !== '')) {
    return { message: `${use} cannot have a query or a fragment.`, fix: 'End it with the path.' };
  }
  return forbiddenPlainHttp(url, permissions) ?? forbiddenOrigin(url, use, permissions);
}

/** Why a server may not be reached as its address says: in the clear, beyond this machine; undefined when it may. */
export function forbiddenPlainHttp(url: URL, { httpHosts }: Permissions): Forbidden | undefined {
  if (url.protocol !== 'http:' || isLoopback(url.hostname)) return undefined;
  if (httpHosts.has(url.hostname) || httpHosts.has(`${url.hostname}:${url.port || '80'}`)) return undefined;
  return {
    message: `${url.origin} is plain http, so that anybody on the way could read and change what is sent.`,
    fix: `Use https, or let the operator list ${url.host} in WINDLASS_ALLOW_HTTP.`,
  };
}

function forbiddenOrigin(url: URL, use: AddressUse, { origins }: Permissions): Forbidden | undefined {
  if (origins === undefined || origins.has(url.origin) || isLoopback(url.hostname)) return undefined;
  return {
    message: `${use} names ${url.origin}, which WINDLASS_ALLOW_ORIGIN does not list.`,
    fix: 'Name a listed origin, or let the operator list this one.',
  };
}

/** True for a host name that only this machine answers to. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** True for a text that can be the name of an environment variable. */
export function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

function hostOf(text: string): string | undefined {
  const url = `http://${text}`;
  if (/[/@?#\\\s]/.test(text) || !URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  // The port of plain http is not kept by URLs, and is meant where it is written.
  const written = port === '' && text.endsWith(':80') ? '80' : port;
  return written === '' ? hostname : `${hostname}:${written}`;
}

function originOf(text: string): string | undefined {
  if (!/^https?:\/\/[^/@?#\\\s]+\/?$/.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

function listed(
  env: OwnEnvironment,
  name: 'WINDLASS_ALLOW_ENV' | 'WINDLASS_ALLOW_HTTP' | 'WINDLASS_ALLOW_ORIGIN',
  read: (item: string) => string | undefined,
  wanted: string,
): readonly string[] {
  const items = (env[name] ?? '').split(',').map((item) => item.trim());
  return items
    .filter((item) => item !== '')
    .map((item) => {
      const meant = read(item);
      if (meant !== undefined) return meant;
      throw new WindlassError('CLI_USAGE', `${name} holds ${JSON.stringify(item)}; it lists ${wanted}.`, {
        advice: `Correct ${name}: names with commas between them.`,
      });
    });
}
