import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { boolean } from '../../../formats/record.ts';
import { body, optional } from '../../../formats/shape.ts';
import { operation, reply } from '../../operation.ts';
import { endpointCommon, endpointInput, endpointShape } from './webhook-endpoint-shape.ts';

const input = body('UpdateWebhookEndpointRequest', {
  url: optional(endpointInput.url, 'Where events are posted.'),
  types: optional(endpointInput.types, 'The event types to send; empty for all.'),
  description: optional(endpointInput.description, 'A description for people; empty for none.'),
  enabled: optional(boolean(), 'Whether events are sent. When it is disabled, due deliveries become failed.'),
});

export const updateWebhookEndpointOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'update-webhook-endpoint',
    method: 'POST',
    path: '/webhook-endpoints/{id}',
    summary: 'Update a webhook endpoint',
    about: 'Only the members that are given change.',
    input,
    example: { enabled: true },
    responses: { 200: { about: 'The endpoint as it is now.', shape: endpointShape } },
    handle: async ({ caller, id, body: changes }) =>
      reply(200, endpointShape, await endpoints.update(caller, id, changes)),
  });
