/** A delivery, as the API and the operator's console list it. */
import { deliveryStates } from '../../../events/webhooks/delivery-state.ts';
import { instant, integer, nullable, word } from '../../../formats/record.ts';
import { int32, optional, required, text, withDefault } from '../../../formats/shape.ts';
import { query } from '../../query-shape.ts';

export const deliveryQuery = query({
  state: optional(word(deliveryStates), 'Only deliveries in this state.'),
  limit: withDefault(int32(1, 1000), 100, 'Maximum number of deliveries.'),
});

export const deliveryMembers = {
  eventId: required(text({ schema: { format: 'uuid' } }), 'The event.'),
  type: required(text(), 'The type of the event.'),
  state: required(word(deliveryStates), 'due: it will be tried (again).'),
  attempts: required(integer(), 'Tries so far, of at most ten.'),
  lastStatus: required(nullable(integer()), 'The last answer of the receiver.'),
  lastError: required(nullable(text()), 'Why the last try failed.'),
  nextAttemptAt: required(nullable(instant()), 'When the next try is due.'),
};
