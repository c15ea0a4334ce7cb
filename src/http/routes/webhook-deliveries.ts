/** The operations on what is sent to a webhook endpoint: test, replay, and the list of deliveries. */
import type { DeliveryState } from '../../events/webhooks/deliveries.store.ts';
import type { WebhookEndpoints } from '../../events/webhooks/webhook-endpoints.ts';
import { boolean, instant, integer, listOf, nullable, record, word } from '../../formats/record.ts';
import { body, int32, optional, required, text, withDefault } from '../../formats/shape.ts';
import { parseFrom, parseTo } from '../../transactions/instant.ts';
import { operation, reply, type AnyOperation } from '../operation.ts';
import { query } from '../query-shape.ts';
import { endpointCommon, endpointErrors } from './webhook-endpoints.ts';

const states = ['due', 'delivered', 'failed'] as const satisfies DeliveryState[];
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const eventId = text({
  parse: (id) => (uuid.test(id) ? id : undefined),
  message: 'The field {0} must hold ids of events.',
  schema: { format: 'uuid' },
});

const timestamp = (parse: (given: string) => string | undefined) =>
  text({
    trim: true,
    parse,
    message: 'The field {0} must be an ISO 8601 date-time.',
    schema: { format: 'date-time' },
  });

const replayInput = body(
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

export const deliveryQuery = query({
  state: optional(word(states), 'Only deliveries in this state.'),
  limit: withDefault(int32(1, 1000), 100, 'How many deliveries at most.'),
});

export const deliveryMembers = {
  eventId: required(text({ schema: { format: 'uuid' } }), 'The event.'),
  type: required(text(), 'The type of the event.'),
  state: required(word(states), 'due: it will be tried (again).'),
  attempts: required(integer(), 'Tries so far, of at most ten.'),
  lastStatus: required(nullable(integer()), 'What the receiver answered last.'),
  lastError: required(nullable(text()), 'Why the last try failed.'),
  nextAttemptAt: required(nullable(instant()), 'When the next try is due.'),
};

const deliveries = record('WebhookDeliveries', {
  deliveries: required(listOf(record('WebhookDelivery', deliveryMembers)), 'The deliveries, newest first.'),
});

const testResult = record('WebhookTestResult', {
  delivered: required(boolean(), 'Whether the receiver took it.'),
  status: required(nullable(integer()), 'What the receiver answered.'),
  milliseconds: required(integer(), 'How long it took.'),
  error: optional(text(), 'Why it was not delivered.'),
});

const replayed = record('WebhookReplay', { count: required(integer(), 'How many events are sent again.') });

export function webhookDeliveryOperations(endpoints: WebhookEndpoints): AnyOperation[] {
  return [
    operation({
      ...endpointCommon,
      name: 'test-webhook-endpoint',
      method: 'POST',
      path: '/webhook-endpoints/{id}/test',
      summary: 'Send a test event to a webhook endpoint',
      about: 'An event of the type endpoint.test is sent at once and once, whatever the types of the endpoint.',
      responses: { 200: { about: 'What became of it.', shape: testResult } },
      errors: endpointErrors,
      handle: async ({ id }) => reply(200, testResult, await endpoints.test(id)),
    }),
    operation({
      ...endpointCommon,
      name: 'replay-webhook-events',
      method: 'POST',
      path: '/webhook-endpoints/{id}/replay',
      summary: 'Send events to a webhook endpoint again',
      about:
        'All events of a time range that the endpoint’s types include, or those named by eventIds; delivered or not, under their old ids.',
      input: replayInput,
      example: { from: '2026-03-01T00:00:00Z' },
      responses: { 202: { about: 'The events are queued.', shape: replayed } },
      errors: ['not-found', 'endpoint-disabled'],
      async handle({ id, body: { from, to, eventIds } }) {
        return reply(202, replayed, {
          count: await endpoints.replay(id, eventIds ? { eventIds } : { from: from!, to }),
        });
      },
    }),
    operation({
      ...endpointCommon,
      name: 'list-webhook-deliveries',
      method: 'GET',
      path: '/webhook-endpoints/{id}/deliveries',
      summary: 'List the latest deliveries to a webhook endpoint',
      query: deliveryQuery,
      responses: { 200: { about: 'The deliveries.', shape: deliveries } },
      errors: endpointErrors,
      async handle({ id, query: { state, limit } }) {
        const found = await endpoints.listDeliveries(id, state, limit);
        return reply(200, deliveries, {
          // What the receiver answered is for the operator's console only.
          deliveries: found.map(({ lastAnswer: _, lastAttemptAt: _at, event: _event, ...delivery }) => delivery),
        });
      },
    }),
  ];
}
