/** Events and webhooks. */
import { integer, setting } from '../kinds.ts';

export const eventsSettings = {
  eventDays: setting({
    env: 'LEDGERLINE_EVENT_DAYS',
    kind: integer(1, 3650),
    default: 30,
    about: 'How many days events, deliveries and cursors are kept.',
  }),
};
