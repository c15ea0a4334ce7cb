/** `ledgerline guard actions`: lists what operators did. */
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';

export const guardActions = () =>
  withGuardControl(async (control) => {
    const actions = await control.actions({ limit: 100 });
    table([
      ['time', 'who', 'client', 'action', 'target', 'detail'],
      ...actions.map(({ at, subject, client, action, target, detail }) => [
        at.toISOString(),
        subject,
        client,
        action,
        target,
        detail,
      ]),
    ]);
  });
