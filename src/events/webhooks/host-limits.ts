/**
 * Limits the requests to one host, for all endpoints of this process there together: many endpoints must not become an
 * attack on the host that they name. Endpoints that wait for a host take turns.
 */
import { Pace, type PaceLimits } from './pace.ts';

interface Host {
  inFlight: number;
  pace: Pace;
  /** The endpoints that wait until a request to the host has ended. */
  waiting: Set<() => void>;
}

/** More than the number of endpoints; hosts that are not called are removed above it. */
const keptHosts = 200;

export class HostLimits {
  readonly #limits: PaceLimits;
  readonly #hosts = new Map<string, Host>();

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  /** Milliseconds to wait for the rate. Undefined if too many are in flight: then `resume` is called when one has ended. */
  wait(name: string, now: number, resume: () => void): number | undefined {
    const host = this.#find(name);
    if (host.inFlight < this.#limits.inFlight) return host.pace.wait(now);
    host.waiting.add(resume);
    return undefined;
  }

  start(name: string, now: number): void {
    const host = this.#find(name);
    host.inFlight += 1;
    host.pace.start(now);
  }

  end(name: string): void {
    const host = this.#find(name);
    host.inFlight -= 1;
    for (const resume of host.waiting) {
      if (host.inFlight >= this.#limits.inFlight) return;
      host.waiting.delete(resume);
      resume();
    }
  }

  /** The endpoint no longer waits. */
  leave(name: string, resume: () => void): void {
    this.#hosts.get(name)?.waiting.delete(resume);
  }

  #find(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    if (this.#hosts.size >= keptHosts) {
      for (const [other, { inFlight, waiting }] of this.#hosts) {
        if (inFlight === 0 && waiting.size === 0) this.#hosts.delete(other);
      }
    }
    const host = { inFlight: 0, pace: new Pace(this.#limits), waiting: new Set<() => void>() };
    this.#hosts.set(name, host);
    return host;
  }
}
