/** Which of several hosts to connect to: the one that is the primary now. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress, DatabaseEndpoint } from './address.ts';
import { failure } from './socket.ts';

/** None of several hosts can be used. It has the reason of each. */
export class NoUsableHost extends Error {
  readonly code = 'NO_USABLE_HOST';
  readonly hosts: readonly HostFailure[];

  constructor(hosts: readonly HostFailure[]) {
    super('NO_USABLE_HOST');
    this.hosts = hosts;
  }
}

export interface HostFailure {
  endpoint: DatabaseEndpoint;
  error: unknown;
}

export interface Role {
  isStandby: boolean;
  /** Increases by one with every promotion. 0 if the server does not provide it. */
  timeline: number;
}

export interface Route {
  /** The host to connect to. Searches for it if it is not known. */
  endpoint(): Promise<DatabaseEndpoint>;
  /** Called when the endpoint may have changed its role: the next call searches again. */
  forget(): void;
}

export interface RouteOptions {
  address: DatabaseAddress;
  /** `any` uses the first host that answers, in random order: for reading from standbys. */
  accepts: 'primary' | 'any';
  askRole(endpoint: DatabaseEndpoint): Promise<Role>;
}

/** After one primary has answered, the other hosts get this long: two servers may both claim to be the primary. */
const otherMilliseconds = 1000;
/** The pause after a search that found nothing, so that many connections do not cause too many searches. */
const pauseMilliseconds = 400;

export function createRoute({ address: { endpoints }, accepts, askRole }: RouteOptions): Route {
  let current: DatabaseEndpoint | undefined = endpoints.length === 1 ? endpoints[0] : undefined;
  let searching: Promise<DatabaseEndpoint> | undefined;
  let lastTimeline = 0;

  async function search(): Promise<DatabaseEndpoint> {
    try {
      return accepts === 'primary' ? await findPrimary() : await findAny();
    } catch (error) {
      await sleep(pauseMilliseconds * (0.5 + Math.random()));
      throw error;
    }
  }

  async function findPrimary(): Promise<DatabaseEndpoint> {
    const found: { endpoint: DatabaseEndpoint; timeline: number }[] = [];
    const failures: HostFailure[] = [];
    let isFirstFound = () => {};
    const firstFound = new Promise<void>((resolve) => (isFirstFound = resolve));
    const answers = endpoints.map(async (endpoint) => {
      try {
        const { isStandby, timeline } = await askRole(endpoint);
        if (isStandby) throw failure('25006');
        found.push({ endpoint, timeline });
        isFirstFound();
      } catch (error) {
        failures.push({ endpoint, error });
      }
    });
    const all = Promise.all(answers);
    await Promise.race([all, firstFound.then(() => Promise.race([all, sleep(otherMilliseconds)]))]);
    const newest = found.toSorted((a, b) => b.timeline - a.timeline)[0];
    if (!newest) throw asOne(failures);
    // An old primary that is running again lacks everything that was written since.
    if (newest.timeline < lastTimeline) throw failure('STALE_PRIMARY');
    lastTimeline = newest.timeline;
    return newest.endpoint;
  }

  async function findAny(): Promise<DatabaseEndpoint> {
    const failures: HostFailure[] = [];
    for (const { endpoint } of endpoints
      .map((each) => ({ endpoint: each, place: Math.random() }))
      .toSorted((a, b) => a.place - b.place)) {
      try {
        await askRole(endpoint);
        return endpoint;
      } catch (error) {
        failures.push({ endpoint, error });
      }
    }
    throw asOne(failures);
  }

  /** In the order of the URL. */
  function asOne(failures: readonly HostFailure[]): NoUsableHost {
    return new NoUsableHost(failures.toSorted((a, b) => endpoints.indexOf(a.endpoint) - endpoints.indexOf(b.endpoint)));
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
