/** Types and ids of events, as callers name them in queries and bodies. */
import { eventTypes, type EventType } from '../../../events/catalogue.ts';
import { word } from '../../../formats/record.ts';
import { text, type Shape } from '../../../formats/shape.ts';
import { parseUuid } from '../../../values/uuid.ts';

export const eventType: Shape<EventType> = word(eventTypes);

export const eventId: Shape<string> = text({
  parse: parseUuid,
  message: 'The field {0} must hold ids of events.',
  schema: { format: 'uuid' },
});
