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
  decisionDays: setting({
    env: 'LEDGERLINE_DECISION_DAYS',
    kind: integer(1, 3650),
    default: 30,
    about: 'Days for which single decisions of the guard are kept.',
  }),
  actionDays: setting({
    env: 'LEDGERLINE_ACTION_DAYS',
    kind: integer(1, 36_500),
    default: 365,
    about: "Days for which the audit of operators' actions is kept, erasures and looks at a user's data among them.",
  }),
  sendKeyDays: setting({
    env: 'LEDGERLINE_SEND_KEY_DAYS',
    kind: integer(1, 365),
    default: 1,
    about: 'Days for which the answer to a send with an Idempotency-Key is kept.',
  }),
};
