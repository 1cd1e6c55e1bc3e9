import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress, networksOf } from './address-rules.js';

/** Where callbacks may go. */
export interface TargetRules {
  /** `loopback`: this machine only; `public`: the public internet, and neither this machine nor any private network. */
  readonly reach: 'loopback' | 'public';
  /** Networks that are allowed besides: `address/bits`. Default none. */
  readonly allowed?: readonly string[];
  /** Ports that are called, whatever the address. By default {@link WEB_PORTS}, and with `loopback` every port. */
  readonly ports?: readonly PortRange[];
}

/** Ports from the first to the last, both included: 1 to 65535. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Ports of web servers: the standard ones, and those that need no privilege. Mail, shells and name servers are below. */
const WEB_PORTS: readonly PortRange[] = [
  { first: 80, last: 80 },
  { first: 443, last: 443 },
  { first: 1024, last: 65_535 },
];

/** The rules, ready to judge. */
export interface Targets {
  /** Why a callback may not go to a URL, or undefined when its text is no reason against it. */
  fault(url: string): string | undefined;
  /**
   * Resolves a host name for a connection and refuses when any of its addresses is forbidden, with the same error as
   * when it has none. The connection is made
   * to the address judged here, so that a name cannot mean another one a moment later.
   */
  readonly lookup: LookupFunction;
}

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * The code of the error of a lookup that finds no address that callbacks may go to: one code for forbidden addresses
 * and for none, as who named the host may not learn which names exist in the platform's private networks.
 */
const NO_ADDRESS = 'NO_PERMITTED_ADDRESS';

/** Makes a judge of callback targets. @throws RangeError when an allowed network is none */
export function targetsOf(rules: TargetRules, resolve: Resolve = lookUp): Targets {
  const { reach, allowed = [], ports = reach === 'public' ? WEB_PORTS : undefined } = rules;
  const isAllowed = networksOf(allowed);
  const permits = (address: string): boolean =>
    isAllowed(address) || (reach === 'loopback' ? isLoopbackAddress(address) : isPublicAddress(address));
  // A URL's parser has made plain IPv4 of its decimal, octal and short forms; a name is judged when it is resolved.
  const named = reach === 'public' || allowed.length > 0;
  const permitsHost = (hostname: string): boolean => {
    const host = hostname.replace(/^\[|\]$/g, '');
    if (isLocalName(host)) return permits('127.0.0.1');
    return isIP(host) === 0 ? named : permits(host);
  };
  const refusal =
    reach === 'loopback' ? 'this platform calls loopback addresses only' : 'its address is not a public one';
  return {
    fault: (url) => {
      const fault = textFault(url);
      if (fault !== undefined) return fault;
      const { hostname } = new URL(url);
      if (!permitsHost(hostname)) return refusal;
      const port = portOf(url);
      const calls = ports?.some(({ first, last }) => port >= first && port <= last) ?? true;
      return calls ? undefined : 'its port is none that this platform calls';
    },
    lookup: (host, options, done) => {
      resolve(host, { ...options, all: true }, (error, addresses) => {
        const [first] = error ? [] : addresses;
        if (!first || !addresses.every(({ address }) => permits(address)))
          return done(unreachable(host), '', 0);
        return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
      });
    },
  };
}

/** True for a host name or address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return isLocalName(host) || isLoopbackAddress(host.replace(/^\[|\]$/g, ''));
}

function textFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'it is no URL';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'it is neither http nor https';
  return username !== '' || password !== '' ? 'it holds credentials' : undefined;
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function isLocalName(host: string): boolean {
  return /^localhost\.?$/i.test(host);
}

function unreachable(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address that callbacks may go to`), { code: NO_ADDRESS });
}
