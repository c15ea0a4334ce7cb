/**
 * Decides where a request may go whose URL was chosen by a caller. Loopback, private, link-local and all other special
 * addresses are forbidden, unless a setting names them (IANA special-purpose address registries, RFC 6890).
 */
import { BlockList, isIP } from 'node:net';
import { addNetwork, isIn } from '../values/network.ts';

const special = new BlockList();
const specialNetworks = [
  // "This" network, private, shared (RFC 6598), loopback, link-local with the metadata services of clouds.
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  // Protocol assignments, documentation, 6to4 relays, private, benchmarks, documentation.
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  // Documentation, multicast, reserved and broadcast, Azure's wire server.
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
  // Protocol assignments with Teredo, documentation, 6to4, documentation: those within 2000::/3.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
];
for (const network of specialNetworks) addNetwork(special, network);

/** The part of IPv6 that is assigned for the public Internet. */
const globalUnicast = new BlockList();
addNetwork(globalUnicast, '2000::/3');

/** Not allowed by a host name in the setting, only by the network itself. */
const onlyByNetwork = new BlockList();
for (const network of [
  '127.0.0.0/8',
  '169.254.0.0/16',
  '0.0.0.0/8',
  '168.63.129.16/32',
  '::1/128',
  '::/128',
  'fe80::/10',
]) {
  addNetwork(onlyByNetwork, network);
}

export interface EgressRules {
  /** Networks and addresses such as 10.0.0.0/8, and host names. */
  allow: readonly string[];
  /** Whether loopback may be called, even over plain HTTP: for a sandbox that listens on loopback. */
  allowsLoopback: boolean;
}

export interface EgressPolicy {
  /** Why the URL may not be called, in a sentence about {0}; undefined if there is no objection. */
  refuseUrl(url: string): string | undefined;
  /** Whether a connection to the address may be made for the host of a URL. */
  isAllowed(address: string, host: string): boolean;
}

export function createEgressPolicy({ allow, allowsLoopback }: EgressRules): EgressPolicy {
  const networks = new BlockList();
  const names = new Set<string>();
  for (const entry of allow) {
    if (isIP(entry.split('/')[0]!)) addNetwork(networks, entry);
    else names.add(entry.toLowerCase());
  }
  if (allowsLoopback) for (const network of ['127.0.0.0/8', '::1/128']) addNetwork(networks, network);

  function isAllowed(address: string, host: string): boolean {
    const plain = unwrap(address);
    if (isIn(networks, plain) || !isSpecial(plain)) return true;
    return names.has(plainHost(host)) && !isIn(onlyByNetwork, plain);
  }

  /** Whether the setting names the host, so that it may also be called without TLS. */
  function isNamed(host: string): boolean {
    if (isIP(host)) return isIn(networks, unwrap(host));
    return names.has(host) || (isLoopbackName(host) && allowsLoopback);
  }

  return {
    isAllowed,
    refuseUrl(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (!url || !['https:', 'http:'].includes(url.protocol)) return 'The field {0} must be a URL with https.';
      if (url.username !== '' || url.password !== '') return 'The field {0} must not hold credentials.';
      const host = plainHost(url.hostname);
      if (url.protocol === 'http:' && !isNamed(host)) return 'The field {0} must be a URL with https.';
      const isForbidden = isIP(host) ? !isAllowed(host, host) : isLoopbackName(host) && !isNamed(host);
      return isForbidden ? 'The field {0} must not lead to a private or otherwise special address.' : undefined;
    },
  };
}

/** The URL parser has turned every spelling of an IPv4 address into one. */
export function plainHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function isSpecial(address: string): boolean {
  if (isIP(address) === 4) return isIn(special, address);
  return !isIn(globalUnicast, address) || isIn(special, address);
}

/** The IPv4 address inside an IPv6 one that is mapped (::ffff:0:0/96) or translated (NAT64, 64:ff9b::/96). */
function unwrap(address: string): string {
  if (isIP(address) !== 6) return address;
  // The URL parser gives every address one spelling, with only hexadecimal groups and without zeros at their start.
  const spelled = plainHost(new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname);
  const [match, high = '', low = ''] = /^(?:::ffff:(?=.+:)|64:ff9b::)(?:([\da-f]+):)?([\da-f]*)$/.exec(spelled) ?? [];
  if (match === undefined) return address;
  return [high, low]
    .map((group) => Number.parseInt(group || '0', 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}
