import { catalogueEntries, eventSchema } from '../../../events/catalogue.ts';
import type { ListEvents } from '../../../events/list-events.ts';
import { listOf, record, responseOnly } from '../../../formats/record.ts';
import { int32, optional, required, text, withDefault, type Schema } from '../../../formats/shape.ts';
import { eventType } from './event-type-shape.ts';
import { jsonText, operation } from '../../operation.ts';
import { query } from '../../query-shape.ts';

export const eventSchemaOfAnyType: Schema = {
  title: 'LedgerlineEvent',
  oneOf: catalogueEntries.map(([type, entry]) => eventSchema(type, entry)),
};

const page = record('EventPage', {
  events: required(listOf(responseOnly<unknown>(eventSchemaOfAnyType)), 'The events.'),
  next: required(text(), 'The cursor after this page, even if the page has no events.'),
});

export const listEventsOperation = (listEvents: ListEvents) =>
  operation({
    name: 'list-events',
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'List events',
    about:
      'A reader that follows next gets every event exactly once, within ten seconds of its commit; the events of one ' +
      'counter come in the order of their sequence. A page may have fewer events than the limit, or none.',
    scopes: ['events:read'],
    query: query({
      after: optional(
        text(),
        'The value of next from an earlier page. Without it, the oldest event that is kept comes first.',
      ),
      limit: withDefault(int32(1, 1000), 100, 'How many events at most.'),
      type: optional(listOf(eventType), 'Only events of this type; may be repeated.'),
      userId: optional(int32(), 'Only events about this user.'),
    }),
    responses: {
      200: {
        about: 'The events, and the cursor for the next page.',
        shape: page,
      },
    },
    async handle({ query: { after, limit, type, userId } }) {
      const { events, next } = await listEvents({ after, limit, types: type && [...new Set(type)], userId });
      return jsonText(200, `{"events":[${events.join(',')}],"next":"${next}"}`);
    },
  });
