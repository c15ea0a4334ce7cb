/** `ledgerline guard blocks`: lists who is blocked now. */
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';

export const guardBlocks = () =>
  withGuardControl(async (control) => {
    table(await control.blocks(), {
      block: 'id',
      rule: 'rule',
      whom: ({ subject, userIds }) => (userIds ? `${subject} for users ${userIds.join(', ')}` : subject),
      until: 'until',
    });
  });
