/**
 * Host names to addresses, by the system's resolver. It occupies one of Node's few threads for as long as a name server
 * takes, so a host is asked for once at a time, and one that just failed is not asked for again at once: endpoints whose
 * names do not resolve must not slow down the others.
 */
import { lookup, type LookupAddress } from 'node:dns';

export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

const failureMilliseconds = 10_000;
/** More hosts than endpoints can name: what is older is forgotten. */
const maxFailures = 1000;

export function createResolver(): ResolveHost {
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  const failures = new Map<string, { error: Error; at: number }>();

  async function ask(host: string): Promise<readonly LookupAddress[]> {
    try {
      return await new Promise<LookupAddress[]>((resolve, reject) => {
        lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
      });
    } catch (error) {
      failures.set(host, { error: error as Error, at: performance.now() });
      if (failures.size > maxFailures) failures.delete(failures.keys().next().value!);
      throw error;
    } finally {
      running.delete(host);
    }
  }

  return function resolveHost(host) {
    const failed = failures.get(host);
    if (failed && performance.now() - failed.at < failureMilliseconds) return Promise.reject(failed.error);
    failures.delete(host);
    const known = running.get(host);
    if (known) return known;
    const asked = ask(host);
    running.set(host, asked);
    return asked;
  };
}
