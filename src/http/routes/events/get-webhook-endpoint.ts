import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { operation, reply } from '../../operation.ts';
import { endpointCommon, endpointShape } from './webhook-endpoint-shape.ts';

export const getWebhookEndpointOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'get-webhook-endpoint',
    method: 'GET',
    path: '/webhook-endpoints/{id}',
    summary: 'Get a webhook endpoint',
    responses: { 200: { about: 'The endpoint.', shape: endpointShape } },
    handle: async ({ id }) => reply(200, endpointShape, await endpoints.get(id)),
  });
