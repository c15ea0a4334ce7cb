import { catalogueEntries, eventSchema, eventTypes, isEventType } from '../../events/catalogue.ts';
import type { ListEvents } from '../../events/list-events.ts';
import { invalidFields } from '../../errors.ts';
import type { Schema } from '../../formats/shape.ts';
import { jsonType, operation } from '../operation.ts';
import { readQuery } from '../query.ts';

const largestPage = 1000;
const defaultPage = 100;

export const eventSchemaOfAnyType: Schema = {
  title: 'LedgerlineEvent',
  oneOf: catalogueEntries.map(([type, entry]) => eventSchema(type, entry)),
};

/** Refuses a name that is no event type, under the field that holds it. */
export function checkEventTypes(field: string, names: readonly string[]): void {
  const unknown = names.find((name) => !isEventType(name));
  if (unknown === undefined) return;
  throw invalidFields({ [field]: [`The field ${field} must hold event types: ${eventTypes.join(', ')}.`] });
}

export const listEventsOperation = (listEvents: ListEvents) =>
  operation({
    name: 'list-events',
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'Read events from a cursor on',
    about:
      'A reader that follows next gets every event exactly once, within ten seconds of its commit; the events of one ' +
      'counter come in the order of their sequence. A page may hold fewer events than the limit, or none.',
    scopes: ['events:read'],
    query: {
      after: 'The value of next from an earlier page. Without it, the oldest event that is kept comes first.',
      limit: `How many events at most: 1 to ${largestPage}, default ${defaultPage}.`,
      type: 'Only events of this type; may be repeated.',
      userId: 'Only events about this user.',
    },
    responses: {
      200: {
        about: 'The events, and the cursor for the next page.',
        schema: {
          title: 'EventPage',
          type: 'object',
          required: ['events', 'next'],
          properties: {
            events: { type: 'array', items: eventSchemaOfAnyType },
            next: { type: 'string', description: 'The cursor behind this page, also when it holds no event.' },
          },
        },
      },
      400: { about: 'The cursor is malformed or outlived, a type is unknown, or the limit is out of range.' },
    },
    async handle({ request }) {
      const query = readQuery(request);
      const types = query.texts('type');
      checkEventTypes('Type', types);
      const { events, next } = await listEvents({
        after: query.text('after'),
        limit: query.integer('limit', 1, largestPage) ?? defaultPage,
        types: types.length > 0 ? [...new Set(types)] : undefined,
        userId: query.integer('userId', 1, 2_147_483_647),
      });
      return { status: 200, body: `{"events":[${events.join(',')}],"next":"${next}"}`, contentType: jsonType };
    },
  });
