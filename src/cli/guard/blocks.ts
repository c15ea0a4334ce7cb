/** `ledgerline guard blocks`: lists who is blocked now. */
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';

export const guardBlocks = () =>
  withGuardControl(async (control) => {
    const blocks = await control.blocks();
    table([
      ['block', 'rule', 'whom', 'until'],
      ...blocks.map(({ id, rule, subject, userIds, until }) => [
        id,
        rule,
        userIds ? `${subject} for users ${userIds.join(', ')}` : subject,
        until.toISOString(),
      ]),
    ]);
  });
