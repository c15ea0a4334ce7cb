import type { FindEvents } from '../../../events/find-events.ts';
import { listOf, record, responseOnly, timestamp } from '../../../formats/record.ts';
import { int32, optional, required, withDefault } from '../../../formats/shape.ts';
import { parseFrom, parseTo } from '../../../values/instant.ts';
import { eventId, eventType } from '../events/event-type-shape.ts';
import { jsonText, operation, operatorRead } from '../../operation.ts';
import { query } from '../../query-shape.ts';
import { eventSchemaOfAnyType } from '../events/list-events.ts';

const list = record('FoundEvents', {
  events: required(listOf(responseOnly<unknown>(eventSchemaOfAnyType)), 'The events, newest first.'),
});

export const operatorEventsOperation = (findEvents: FindEvents) =>
  operation({
    ...operatorRead,
    name: 'operator-events',
    method: 'GET',
    path: '/operator/events',
    summary: 'Search events',
    about: 'Newest first. For a page after the first, before is the id of the last event of the page before.',
    query: query({
      userId: optional(int32(), 'Only events about this user.'),
      type: optional(listOf(eventType), 'Only events of this type; may be repeated.'),
      from: optional(timestamp(parseFrom), 'Only events from this time on.'),
      to: optional(timestamp(parseTo), 'Only events up to this time.'),
      before: optional(eventId, 'Only events before the one with this id.'),
      count: withDefault(int32(1, 500), 100, 'How many events at most.'),
    }),
    responses: { 200: { about: 'The events.', shape: list } },
    async handle({ query: { type, count, ...filter }, owner }) {
      const events = await findEvents({ ...filter, types: type && [...new Set(type)], limit: count }, owner);
      return jsonText(200, `{"events":[${events.join(',')}]}`);
    },
  });
