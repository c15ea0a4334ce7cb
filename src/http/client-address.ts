/** Where a request came from: the socket, or what a trusted proxy says in X-Forwarded-For. Nobody else is believed. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export interface ClientAddress {
  text: string;
  /** The socket's address may be a back end's. One that a counted hop reports is a person's if the token is. */
  counts: 'never' | 'bound' | 'always';
}

/** How many proxies stand before the service, or which they are: addresses and networks. */
export type TrustedProxies = number | readonly string[];

export function createClientAddress(trusted: TrustedProxies) {
  const find = typeof trusted === 'number' ? byHops(trusted) : byName(trusted);
  return function clientAddressOf({ socket, headers }: IncomingMessage): ClientAddress | undefined {
    const direct = socket.remoteAddress === undefined ? undefined : plainAddress(socket.remoteAddress);
    const header = headers['x-forwarded-for'];
    const entries = header === undefined ? [] : String(header).split(',');
    return direct === undefined ? undefined : find(direct, entries);
  };
}

/** Each proxy appends the address it was called from, so the hops are counted from the end. */
function byHops(hops: number) {
  return (direct: string, entries: string[]): ClientAddress | undefined => {
    if (hops === 0) return { text: direct, counts: 'never' };
    const entry = entries[entries.length - hops];
    const text = entry === undefined ? undefined : plainAddress(entry);
    return text === undefined ? { text: direct, counts: 'never' } : { text, counts: 'bound' };
  };
}

/** From the socket backwards, the first address that is no trusted proxy's own. */
function byName(names: readonly string[]) {
  const proxies = new BlockList();
  for (const name of names) {
    const [address = '', bits] = name.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isProxy = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return (direct: string, entries: string[]): ClientAddress | undefined => {
    if (names.length === 0 || !isProxy(direct)) return { text: direct, counts: 'never' };
    for (const entry of entries.toReversed()) {
      const text = plainAddress(entry);
      if (text === undefined) break;
      if (!isProxy(text)) return { text, counts: 'always' };
    }
    // All that is known is a proxy's own address: a back end's, not a person's.
    return { text: direct, counts: 'never' };
  };
}

/** Without a port, brackets or a zone, and IPv4 as itself; undefined for what is no address. */
export function plainAddress(entry: string): string | undefined {
  const text = entry
    .trim()
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(text) === 0 ? undefined : text;
}
