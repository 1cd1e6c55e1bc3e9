import { BlockList, isIP } from 'node:net';

/** Addresses of the public internet that are for documentation, translation or measuring: nobody answers there. */
const NOT_PUBLIC_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** IPv4 without the public internet: this network, private, shared, loopback, link-local (metadata services), reserved. */
const NOT_PUBLIC_4 = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
).split(' ');

const NOT_PUBLIC = blockList([...NOT_PUBLIC_4, ...NOT_PUBLIC_6]);
const GLOBAL_UNICAST_6 = blockList(['2000::/3']);
const LOOPBACK = blockList(['127.0.0.0/8', '::1/128']);
const MAPPED_6 = blockList(['::ffff:0:0/96']);

/** True for an address that only this machine can reach; the IPv4 forms of IPv6 count as what they stand for. */
export function isLoopbackAddress(address: string): boolean {
  return within(LOOPBACK, plainAddress(address));
}

/**
 * True for an address of the public internet. IPv6 that stands for IPv4 is judged as IPv4 when it is mapped, and is
 * not public otherwise (translated, tunnelled): what is behind it cannot be seen.
 */
export function isPublicAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (isIP(plain) === 0 || within(NOT_PUBLIC, plain)) return false;
  return isIP(plain) === 4 || within(GLOBAL_UNICAST_6, plain);
}

/**
 * A judge of the networks that an operator names.
 *
 * @param networks addresses or `address/bits`, IPv4 or IPv6
 * @throws RangeError on what is neither
 */
export function networksOf(networks: readonly string[]): (address: string) => boolean {
  const list = blockList(networks);
  return (address) => within(list, plainAddress(address));
}

/** An address in its plain form: `::ffff:10.0.0.1` and `::ffff:a00:1` are `10.0.0.1`. */
function plainAddress(address: string): string {
  if (isIP(address) !== 6 || !MAPPED_6.check(address, 'ipv6')) return address;
  const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const [high = '', low = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':').slice(-2);
  const value = Number.parseInt(high || '0', 16) * 0x1_0000 + Number.parseInt(low || '0', 16);
  return [24, 16, 8, 0].map((bits) => String((value >>> bits) & 0xff)).join('.');
}

function within(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const version = isIP(address);
    const length = bits === undefined ? (version === 4 ? 32 : 128) : Number(bits);
    if (version === 0 || !/^\d{1,3}$/.test(bits ?? '0') || length > (version === 4 ? 32 : 128)) {
      throw new RangeError(`${network} is no network: an address, or an address and a number of bits`);
    }
    list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
