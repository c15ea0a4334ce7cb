import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { integer, listOf, record, timestamp } from '../../../formats/record.ts';
import { body, optional, required } from '../../../formats/shape.ts';
import { parseFrom, parseTo } from '../../../values/instant.ts';
import { eventId } from './event-type-shape.ts';
import { operation, reply } from '../../operation.ts';
import { endpointCommon } from './webhook-endpoint-shape.ts';

const input = body(
  'ReplayWebhookEventsRequest',
  {
    from: optional(timestamp(parseFrom), 'Replays the events from this time on, of the types of the endpoint.'),
    to: optional(timestamp(parseTo), 'Up to this time; now, if it is not given.'),
    eventIds: optional(listOf(eventId, 1000), 'Or replays these events, whatever the types of the endpoint.'),
  },
  ({ from, to, eventIds }, errors) => {
    if (errors.From || errors.To || errors.EventIds) return;
    if (eventIds !== undefined) {
      if (from !== undefined || to !== undefined) errors.EventIds = ['Give either From or EventIds.'];
    } else if (from === undefined) errors.From = ['The From field is required.'];
    else if (to !== undefined && from > to) errors.From = ['The field From must not be after To.'];
  },
);

const replayed = record('WebhookReplay', { count: required(integer(), 'How many events are sent again.') });

export const replayWebhookEventsOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'replay-webhook-events',
    method: 'POST',
    path: '/webhook-endpoints/{id}/replay',
    summary: 'Replay events',
    about:
      'All events of a time range that the endpoint’s types include, or those named by eventIds; delivered or not, with their original ids.',
    input,
    example: { from: '2026-03-01T00:00:00Z' },
    responses: { 202: { about: 'The events are queued.', shape: replayed } },
    errors: ['endpoint-disabled', 'too-many-replays'],
    async handle({ caller, id, body: { from, to, eventIds } }) {
      const count = await endpoints.replay(caller, id, eventIds ? { eventIds } : { from: from!, to });
      return reply(202, replayed, { count });
    },
  });
