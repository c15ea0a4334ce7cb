/**
 * Resolves host names with the system's resolver. A lookup occupies one of Node's few threads until the name server
 * answers. So there is only one lookup of a host at a time, and a lookup that just failed is not repeated immediately:
 * endpoints whose names do not resolve must not slow down the others.
 */
import { lookup, type LookupAddress } from 'node:dns';

export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

const failureMilliseconds = 10_000;
/** Larger than the number of hosts that endpoints can have. The oldest entries are removed. */
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
