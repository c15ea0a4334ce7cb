import type { GuardControl } from '../../../guard/control/guard-control.ts';
import { boolean, instant, listOf, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { operation, operatorRead, reply } from '../../operation.ts';

const entry = record('GuardSafeEntry', {
  id: required(text(), 'The id by which it can be removed.'),
  label: required(text(), 'The prefix, or the masked number.'),
  isPrefix: required(boolean(), 'Whether it matches all numbers that start with it.'),
  addedAt: required(instant(), 'When it was added.'),
  addedBy: required(text(), 'Who added it.'),
});

const safeList = record('GuardSafeList', { entries: required(listOf(entry), 'The entries.') });

export const guardSafeListOperation = (control: GuardControl) =>
  operation({
    ...operatorRead,
    name: 'guard-safe-list',
    method: 'GET',
    path: '/operator/guard/safe-list',
    summary: 'Get the safe list',
    about: 'The numbers that the rules about destinations do not check.',
    responses: { 200: { about: 'The list, newest first.', shape: safeList } },
    handle: async ({ owner }) => reply(200, safeList, { entries: await control.safeList(owner) }),
  });
