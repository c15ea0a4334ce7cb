/** What the operations on webhook endpoints have in common. */
import { eventTypes } from '../../../events/catalogue.ts';
import { boolean, instant, integer, listOf, nullable, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { eventType } from './event-type-shape.ts';

export const endpointCommon = { tag: 'Webhook endpoints', scopes: ['events:write'], unknownId: 'not-found' } as const;

export const endpointInput = {
  url: text({ trim: true, maxLength: 2048, schema: { format: 'uri' } }),
  types: listOf(eventType, 2 * eventTypes.length),
  description: text({ maxLength: 256 }),
};

export const endpointMembers = {
  id: required(integer(), 'The endpoint.'),
  url: required(text(), 'Where events are posted.'),
  types: required(listOf(text()), 'The event types that are sent; empty for all.'),
  description: required(nullable(text()), 'A text for people.'),
  enabled: required(boolean(), 'Whether events are sent.'),
  disabledReason: required(
    nullable(text()),
    'gone: the receiver answered 410; failing: it failed for five days; request: a client asked for it.',
  ),
  createdAt: required(instant(), 'When the endpoint was created.'),
};

export const endpointShape = record('WebhookEndpoint', endpointMembers);

export const endpointSecret = required(text(), 'whsec_ and the base64 of the key. It is shown only once.');
