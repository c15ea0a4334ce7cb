/** `ledgerline webhooks list`: lists the endpoints and their state. */
import { serviceItself } from '../../sharing/slots.ts';
import { table } from '../table.ts';
import { withEndpoints } from './webhook-endpoints.ts';

export const webhooksList = () =>
  withEndpoints(async ({ endpoints }) => {
    table(await endpoints.listHealth(serviceItself), {
      id: 'id',
      url: 'url',
      types: ({ types }) => types.join(',') || 'all',
      state: ({ enabled, disabledReason }) => (enabled ? 'enabled' : `disabled (${disabledReason})`),
      'failing since': 'failingSince',
      due: 'due',
      description: 'description',
    });
  });
