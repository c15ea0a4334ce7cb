/** How long data about people is kept. */
import { integer, setting } from '../kinds.ts';

export const privacySettings = {
  retainErasedDays: setting({
    env: 'LEDGERLINE_RETAIN_ERASED_DAYS',
    kind: integer(0, 36_500),
    default: 1826,
    about:
      'Days for which the transactions of an erased user are kept, out of reach of the API; 0 removes them with the user.',
  }),
};
