import type { ReadUsage } from '../../../guard/usage.ts';
import { ruleNames } from '../../../guard/rules.ts';
import { integer, listOf, nullable, number, record, word } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { operation, operatorRead, reply } from '../../operation.ts';

const limit = record('GuardLimitUsage', {
  subject: required(nullable(text()), 'The country or the range of numbers; null if the limit is for neither.'),
  userId: required(nullable(integer()), 'The user who used most, if the limit is for each user.'),
  used: required(number(), 'How much the busiest one has used.'),
  limit: required(nullable(number()), 'The limit; null if it depends on what is normal for the range.'),
  seconds: required(nullable(integer()), 'The length of the window; null for a day in UTC.'),
  blockSeconds: required(nullable(integer()), 'How long failures block; null if they do not.'),
});

const usage = record('GuardUsage', {
  rules: required(
    listOf(
      record('GuardRuleUsage', {
        rule: required(word(ruleNames), 'Its name.'),
        counts: required(
          text(),
          'What it counts: sends, confirmations, phones, users, failures, failed checks, failed users, messages or money.',
        ),
        limits: required(
          listOf(limit),
          'Its limits, each with how much of it is used. For countries and ranges, those with the highest use.',
        ),
      }),
    ),
    'Every rule.',
  ),
});

export const guardUsageOperation = (readUsage: ReadUsage) =>
  operation({
    ...operatorRead,
    name: 'guard-usage',
    method: 'GET',
    path: '/operator/guard/usage',
    summary: 'Get the use of limits',
    about:
      'The limits of every rule, and how much of them the busiest user, phone, address, token, country or range has used now. Phones, addresses and tokens are not named. A rule that is off counts nothing.',
    responses: { 200: { about: 'The limits.', shape: usage } },
    handle: async ({ owner }) => reply(200, usage, { rules: await readUsage(owner) }),
  });
