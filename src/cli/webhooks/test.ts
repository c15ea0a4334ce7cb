/** `ledgerline webhooks test`: sends a test event to an endpoint now. */
import { serviceItself } from '../../sharing/slots.ts';
import { readEndpointId, withEndpoints } from './webhook-endpoints.ts';

export const webhooksTest = (id: string) =>
  withEndpoints(async ({ endpoints }) => {
    const { delivered, status, milliseconds, error } = await endpoints.test(readEndpointId(id), serviceItself);
    console.log(delivered ? `Delivered: ${status} after ${milliseconds} ms.` : `Not delivered: ${error}`);
    return delivered ? 0 : 2;
  });
