/** `ledgerline webhooks list`: lists the endpoints and their state. */
import { serviceItself } from '../../sharing/slots.ts';
import { table } from '../table.ts';
import { withEndpoints } from './webhook-endpoints.ts';

export const webhooksList = () =>
  withEndpoints(async ({ endpoints }) => {
    const listed = await endpoints.listHealth(serviceItself);
    table([
      ['id', 'url', 'types', 'state', 'failing since', 'due', 'description'],
      ...listed.map(({ id, url, types, enabled, disabledReason, failingSince, due, description }) => [
        id,
        url,
        types.join(',') || 'all',
        enabled ? 'enabled' : `disabled (${disabledReason})`,
        failingSince?.toISOString() ?? null,
        due,
        description,
      ]),
    ]);
  });
