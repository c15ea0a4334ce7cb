/** The time of the service. The clock of a sandbox can be moved ahead. */
import type { TokenSource } from '../../client/index.ts';
import { claimsOf } from '../data/token-claims.ts';

let aheadMilliseconds = 0;

/** Milliseconds since 1970. */
export const serviceNow = () => Date.now() + aheadMilliseconds;

/** Tokens that the service has just issued say what its time is. */
export function withClock(source: TokenSource): TokenSource {
  let last = '';
  return async (wasRefused) => {
    const token = await source(wasRefused);
    if (token === last) return token;
    last = token;
    const ahead = Number(claimsOf(token).iat) * 1000 - Date.now();
    // A token says it in whole seconds, and may be a minute old.
    aheadMilliseconds = ahead > 60_000 ? ahead : 0;
    return token;
  };
}
