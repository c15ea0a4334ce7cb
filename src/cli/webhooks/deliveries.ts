/** `ledgerline webhooks deliveries`: lists the latest deliveries to an endpoint. */
import { StartError } from '../../errors.ts';
import { readNumber } from '../read-number.ts';
import { table } from '../table.ts';
import { readEndpointId, withEndpoints } from './webhook-endpoints.ts';

export const webhooksDeliveries = (id: string, { state, count }: { state?: string; count: string }) =>
  withEndpoints(async ({ endpoints }) => {
    const wanted = (['due', 'delivered', 'failed'] as const).find((known) => known === state);
    if (state !== undefined && !wanted) throw new StartError('--state must be due, delivered or failed.');
    const listed = await endpoints.listDeliveries(readEndpointId(id), wanted, readNumber('--count', count, 1000));
    const deliveries = listed.map(({ delivery }) => delivery);
    table(deliveries, {
      event: 'eventId',
      type: 'type',
      state: 'state',
      tries: 'attempts',
      status: 'lastStatus',
      error: 'lastError',
      'next try': 'nextAttemptAt',
    });
  });
