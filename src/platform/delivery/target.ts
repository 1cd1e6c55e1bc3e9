const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Why a callback may not go to a URL, or undefined when it may. Only the text is judged here: host names other than
 * `localhost` count as not loopback, whatever they resolve to.
 *
 * @param loopbackOnly true on a platform that listens on loopback: it must not be a way into other networks
 */
export function urlFault(url: string, loopbackOnly: boolean): string | undefined {
  if (!URL.canParse(url)) return 'it is no URL';
  const { protocol, hostname, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'it is neither http nor https';
  if (username !== '' || password !== '') return 'it holds credentials';
  if (loopbackOnly && !LOOPBACK.test(hostname)) return 'this platform calls loopback addresses only';
  return undefined;
}

/** True for a host name or address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host) || host === '::1';
}
