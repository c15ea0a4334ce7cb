/** Types and ids of events, as callers name them in queries and bodies. */
import { eventTypes, type EventType } from '../../../events/catalogue.ts';
import { word } from '../../../formats/record.ts';
import { text, type Shape } from '../../../formats/shape.ts';

export const eventType: Shape<EventType> = word(eventTypes);

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const eventId: Shape<string> = text({
  parse: (id) => (uuid.test(id) ? id : undefined),
  message: 'The field {0} must hold ids of events.',
  schema: { format: 'uuid' },
});
