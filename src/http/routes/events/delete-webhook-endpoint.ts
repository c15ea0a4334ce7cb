import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { emptyAfter, operation } from '../../operation.ts';
import { endpointCommon } from './webhook-endpoint-shape.ts';

export const deleteWebhookEndpointOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'delete-webhook-endpoint',
    method: 'DELETE',
    path: '/webhook-endpoints/{id}',
    summary: 'Delete a webhook endpoint',
    about: 'Deletes the endpoint and its deliveries. Due deliveries are no longer sent.',
    responses: { 204: { about: 'The endpoint is deleted.' } },
    handle: ({ caller, id }) => emptyAfter(204, endpoints.remove(caller, id)),
  });
