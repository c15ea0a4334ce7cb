/** `ledgerline webhooks replay`: sends events to an endpoint again, delivered or not. */
import { StartError } from '../../errors.ts';
import { parseFrom, parseTo } from '../../values/instant.ts';
import { parseUuid } from '../../values/uuid.ts';
import { readEndpointId, withEndpoints } from './webhook-endpoints.ts';

export const webhooksReplay = (id: string, { from, to, event }: { from?: string; to?: string; event?: string[] }) =>
  withEndpoints(async ({ endpoints, who }) => {
    const range = event ? { eventIds: event.map(eventId) } : timeRange(from, to);
    const count = await endpoints.replay(who, readEndpointId(id), range);
    console.log(`${count} events are sent again.`);
  });

function eventId(given: string): string {
  if (parseUuid(given) === undefined) throw new StartError(`${given} is no id of an event.`);
  return given;
}

function timeRange(from: string | undefined, to: string | undefined): { from: string; to: string | undefined } {
  const [first, last] = [from && parseFrom(from), to && parseTo(to)];
  if (!first || (to !== undefined && !last)) {
    throw new StartError('Give --from (and --to) as ISO 8601 times, or --event with ids of events.');
  }
  return { from: first, to: last };
}
