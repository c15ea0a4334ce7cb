/** The address of the caller: of the socket, or the one that a trusted proxy gives in X-Forwarded-For. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { addNetwork, isIn, type ClientAddress } from '../values/network.ts';

/** The number of proxies in front of the service, or their addresses and networks. */
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

/** Whether an address that connects to the service is that of a trusted proxy. */
export function createProxyCheck(trusted: TrustedProxies): (address: string) => boolean {
  // If only their number is known, whoever connects is the last of them.
  if (typeof trusted === 'number') return () => trusted > 0;
  const proxies = new BlockList();
  for (const network of trusted) addNetwork(proxies, network);
  return (address) => {
    const plain = plainAddress(address);
    return plain !== undefined && isIn(proxies, plain);
  };
}

/** The first address, from the socket backwards, that does not belong to a trusted proxy. */
function byName(names: readonly string[]) {
  const isProxy = createProxyCheck(names);
  return (direct: string, entries: string[]): ClientAddress | undefined => {
    if (names.length === 0 || !isProxy(direct)) return { text: direct, counts: 'never' };
    for (const entry of entries.toReversed()) {
      const text = plainAddress(entry);
      if (text === undefined) break;
      if (!isProxy(text)) return { text, counts: 'always' };
    }
    // Only addresses of proxies are known. They belong to a back end, not to a person.
    return { text: direct, counts: 'never' };
  };
}

/** The address without port, brackets and zone, IPv4-mapped ones as IPv4. Undefined if the text is not an address. */
export function plainAddress(entry: string): string | undefined {
  const text = entry
    .trim()
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(text) === 0 ? undefined : text;
}
