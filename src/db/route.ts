/** Which of several hosts to connect to: the one that is the primary now. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress, Endpoint } from './address.ts';
import { failure } from './socket.ts';

export interface Role {
  isStandby: boolean;
  /** Grows by one with every promotion. 0 where the server does not tell. */
  timeline: number;
}

export interface Route {
  /** Where to connect. Looks for it if it is not known. */
  endpoint(): Promise<Endpoint>;
  /** The endpoint is not what it was: the next call looks again. */
  forget(): void;
}

export interface RouteOptions {
  address: DatabaseAddress;
  /** `any` takes the first that answers, in random order: for reading from standbys. */
  accepts: 'primary' | 'any';
  askRole(endpoint: Endpoint): Promise<Role>;
}

/** After one primary has answered, the other hosts get this long: two servers may both claim to be the primary. */
const otherMilliseconds = 1000;
/** After a search that found nothing, the next one waits so long, so that many connections cause no storm of them. */
const pauseMilliseconds = 400;

export function createRoute({ address: { endpoints }, accepts, askRole }: RouteOptions): Route {
  let current: Endpoint | undefined = endpoints.length === 1 ? endpoints[0] : undefined;
  let searching: Promise<Endpoint> | undefined;
  let lastTimeline = 0;

  async function search(): Promise<Endpoint> {
    try {
      return accepts === 'primary' ? await findPrimary() : await findAny();
    } catch (error) {
      await sleep(pauseMilliseconds * (0.5 + Math.random()));
      throw error;
    }
  }

  async function findPrimary(): Promise<Endpoint> {
    const found: { endpoint: Endpoint; timeline: number }[] = [];
    let cause: unknown;
    let isFirstFound = () => {};
    const firstFound = new Promise<void>((resolve) => (isFirstFound = resolve));
    const answers = endpoints.map(async (endpoint) => {
      try {
        const { isStandby, timeline } = await askRole(endpoint);
        if (isStandby) return void (cause ??= failure('25006'));
        found.push({ endpoint, timeline });
        isFirstFound();
      } catch (error) {
        cause ??= error;
      }
    });
    const all = Promise.all(answers);
    await Promise.race([all, firstFound.then(() => Promise.race([all, sleep(otherMilliseconds)]))]);
    const newest = found.toSorted((a, b) => b.timeline - a.timeline)[0];
    if (!newest) throw cause;
    // An old primary that has come back has none of what was written since.
    if (newest.timeline < lastTimeline) throw failure('STALE_PRIMARY');
    lastTimeline = newest.timeline;
    return newest.endpoint;
  }

  async function findAny(): Promise<Endpoint> {
    let cause: unknown;
    for (const { endpoint } of endpoints
      .map((each) => ({ endpoint: each, place: Math.random() }))
      .toSorted((a, b) => a.place - b.place)) {
      try {
        await askRole(endpoint);
        return endpoint;
      } catch (error) {
        cause ??= error;
      }
    }
    throw cause;
  }

  return {
    async endpoint() {
      if (current) return current;
      searching ??= search().finally(() => (searching = undefined));
      return (current = await searching);
    },
    forget() {
      if (endpoints.length > 1) current = undefined;
    },
  };
}
