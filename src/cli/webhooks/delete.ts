/** `ledgerline webhooks delete`: removes an endpoint with its deliveries. */
import { readEndpointId, withEndpoints } from './webhook-endpoints.ts';

export const webhooksDelete = (id: string) =>
  withEndpoints(async ({ endpoints, audit }) => {
    await endpoints.remove(readEndpointId(id));
    await audit('delete-webhook-endpoint', readEndpointId(id));
    console.log(`Endpoint ${id} is deleted.`);
  });
