/** How long data about people is kept. */
import { fail, integer, type Kind, list, setting } from '../../formats/setting-kinds.ts';
import { defaultRetentionDays, type RetentionDays } from '../../privacy/retention.ts';

const dayCount = integer(1, 36_500);

const retentionDays: Kind<RetentionDays> = {
  form: 'list such as trail=30,events=14',
  parse(value) {
    const names = Object.keys(defaultRetentionDays);
    const given = list.parse(value).map((item): [string, number] => {
      const [name = '', days = ''] = item.split('=');
      return names.includes(name)
        ? [name, dayCount.parse(days)]
        : fail(`names "${name}"; there are ${names.join(', ')}`);
    });
    return { ...defaultRetentionDays, ...Object.fromEntries(given) };
  },
};

export const privacySettings = {
  retainErasedDays: setting({
    env: 'LEDGERLINE_RETAIN_ERASED_DAYS',
    kind: integer(0, 36_500),
    default: 1826,
    about:
      'Days for which the transactions of an erased user are kept. The API does not return them. 0 removes them together with the user.',
  }),
  retentionDays: setting<RetentionDays>({
    env: 'LEDGERLINE_RETENTION_DAYS',
    kind: retentionDays,
    default: defaultRetentionDays,
    defaultText: Object.entries(defaultRetentionDays)
      .map(([name, days]) => `${name}=${days}`)
      .join(','),
    about:
      'Days for which data is kept (docs/privacy.md): the trail of verifications, the answers to sends with an Idempotency-Key, single decisions of the guard, the audit log of operators, and events with their deliveries. A kind that is not listed keeps its default.',
  }),
};
