/** Addresses of callers, and networks of addresses. */
import { isIP, type BlockList } from 'node:net';

export interface ClientAddress {
  text: string;
  /**
   * Whether limits by address count it. `never`: it may be the address of a back end. `bound`: it is a person's address
   * if the token is bound to a user. `always`: a trusted proxy reports it.
   */
  counts: 'never' | 'bound' | 'always';
}

/** Whether a text is an address, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const limit = isIP(address) === 6 ? 128 : 32;
  return isIP(address) > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= limit));
}

/** `network` is an address, or a network such as 10.0.0.0/8. */
export function addNetwork(list: BlockList, network: string): void {
  const [address = '', bits] = network.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The network that an address is counted as: an IPv6 client has a whole /64, which is counted instead of the address. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
