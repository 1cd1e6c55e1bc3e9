import { isIPv6 } from 'node:net';

/** Groups of an IPv6 address that one customer of a network usually has all addresses behind: a /64. */
const GROUPS = 4;

/**
 * The name that a client without a key is counted under: its IPv4 address, or its IPv6 network, because a client has
 * billions of addresses there.
 *
 * @param ip as the socket or a trusted proxy tells it
 */
export function clientName(ip: string): string {
  const plain = ip.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return `client ${plain}`;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0');
  const groups = [...front, ...zeros, ...back].slice(0, GROUPS);
  return `client ${groups.map((group) => group.replace(/^0+(?=.)/, '').toLowerCase()).join(':')}::/64`;
}
