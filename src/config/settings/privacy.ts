/** How long data about people is kept. */
import { integer, setting } from '../../formats/setting-kinds.ts';

export const privacySettings = {
  retainErasedDays: setting({
    env: 'LEDGERLINE_RETAIN_ERASED_DAYS',
    kind: integer(0, 36_500),
    default: 1826,
    about:
      'Days for which the transactions of an erased user are kept. The API does not return them. 0 removes them together with the user.',
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
    about: "Days for which the audit log of operators' actions is kept, including erasures and reads of a user's data.",
  }),
  sendKeyDays: setting({
    env: 'LEDGERLINE_SEND_KEY_DAYS',
    kind: integer(1, 365),
    default: 1,
    about: 'Days for which the answer to a send with an Idempotency-Key is kept.',
  }),
};
