/** An event type, as callers name it in queries and bodies. */
import { eventTypes, isEventType, type EventType } from '../events/catalogue.ts';
import { text, type Shape } from '../formats/shape.ts';

export const eventType: Shape<EventType> = text({
  parse: (name) => (isEventType(name) ? name : undefined),
  message: `The field {0} must hold event types: ${eventTypes.join(', ')}.`,
  schema: { enum: eventTypes },
});
