/** `ledgerline guard actions`: lists what operators did. */
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';

export const guardActions = () =>
  withGuardControl(async (control) => {
    table(await control.actions({ limit: 100 }), {
      time: 'at',
      who: 'subject',
      client: 'client',
      action: 'action',
      target: 'target',
      detail: 'detail',
    });
  });
