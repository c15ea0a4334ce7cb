/** `ledgerline webhooks delete`: removes an endpoint with its deliveries. */
import { readEndpointId, withEndpoints } from './webhook-endpoints.ts';

export const webhooksDelete = (id: string) =>
  withEndpoints(async ({ endpoints, who }) => {
    await endpoints.remove(who, readEndpointId(id));
    console.log(`Endpoint ${id} is deleted.`);
  });
