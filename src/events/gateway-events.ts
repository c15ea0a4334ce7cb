/**
 * Writes events when this process stops using a gateway and when it uses it again. No database statement decides that,
 * so events that cannot be written immediately are kept and written later, in order.
 */
import { oneByOne } from '../sharing/one-by-one.ts';
import type { Clock } from '../values/clock.ts';

export interface GatewayEventsOptions {
  write(type: 'gateway.down' | 'gateway.up', at: Date, data: string): Promise<void>;
  clock: Clock;
}

/** Maximum number of events that are kept while the database is unavailable. Further changes add no information. */
const waitingLimit = 100;

export function createGatewayEvents({ write, clock }: GatewayEventsOptions) {
  const down = new Set<string>();
  const waiting: { type: 'gateway.down' | 'gateway.up'; at: Date; data: string }[] = [];

  async function writeWaiting(): Promise<void> {
    for (let event = waiting[0]; event; event = waiting[0]) {
      await write(event.type, event.at, event.data);
      waiting.shift();
    }
  }

  return {
    /** A failed probe leaves the gateway down; no event is written. */
    note(gateway: string, state: 'closed' | 'open' | 'probing', reason: string | undefined): void {
      const isDown = state !== 'closed';
      if (isDown === down.has(gateway)) return;
      if (isDown) down.add(gateway);
      else down.delete(gateway);
      if (waiting.length >= waitingLimit) return;
      const type = isDown ? 'gateway.down' : 'gateway.up';
      const data = JSON.stringify({ gateway, reason: reason ?? (isDown ? 'it failed' : 'it accepted a message') });
      waiting.push({ type, at: clock.now(), data });
    },
    /** Rejects if an event cannot be written. It is kept for the next time. */
    flush: oneByOne(writeWaiting),
  };
}
