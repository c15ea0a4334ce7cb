/**
 * Node's lookup for hosts that the operator configured, one lookup of a host at a time. A lookup occupies one of Node's
 * four threads until the name server answers, so a host whose name server is silent occupies one of them, not all.
 */
import { lookup, type LookupAddress } from 'node:dns';
import { setDefaultAutoSelectFamilyAttemptTimeout, type LookupFunction } from 'node:net';

/**
 * How long one of several addresses of a host may take to accept a connection, before the next one is tried instead.
 * Node's 250 ms are too short for a host on another continent, and for a process that has much to do: its timers run
 * before it sees that a connection is there. If the next address cannot be reached, the connection has failed.
 */
const addressMilliseconds = 1000;
setDefaultAutoSelectFamilyAttemptTimeout(addressMilliseconds);

const running = new Map<string, Promise<LookupAddress[]>>();

function resolveOnce(host: string): Promise<LookupAddress[]> {
  const known = running.get(host);
  if (known) return known;
  const asked = new Promise<LookupAddress[]>((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      running.delete(host);
      if (error) reject(error);
      else resolve(addresses);
    });
  });
  running.set(host, asked);
  return asked;
}

export const sharedLookup: LookupFunction = asLookup(resolveOnce);

/** A lookup of a connection from a function that resolves a host. */
export function asLookup(resolve: (host: string) => Promise<readonly LookupAddress[]>): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        // An error here would be caught by nobody.
        if (!first) callback(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }), '', 0);
        else if (all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}
