import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { record } from '../../../formats/record.ts';
import { body, optional, required } from '../../../formats/shape.ts';
import { noStore, operation, reply } from '../../operation.ts';
import { endpointCommon, endpointInput, endpointMembers, endpointSecret } from './webhook-endpoint-shape.ts';

const input = body('CreateWebhookEndpointRequest', {
  url: required(endpointInput.url, 'Where events are posted: https, without credentials, at a public address.'),
  types: optional(endpointInput.types, 'The event types to send; absent or empty for all.'),
  description: optional(endpointInput.description, 'A text for people.'),
});

const created = record('CreatedWebhookEndpoint', { ...endpointMembers, secret: endpointSecret });

export const createWebhookEndpointOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'create-webhook-endpoint',
    method: 'POST',
    path: '/webhook-endpoints',
    summary: 'Create a webhook endpoint',
    about: 'Events that happen from now on are posted to it, signed by Standard Webhooks. At most 100 can exist.',
    input,
    example: { url: 'https://example.com/hooks/ledgerline', types: ['phone.verified', 'transactions.recorded'] },
    responses: { 201: { about: 'The endpoint, with its secret.', shape: created } },
    errors: ['too-many-endpoints'],
    handle: async ({ caller, body: { types = [], ...given } }) =>
      reply(201, created, await endpoints.create(caller, { ...given, types }), noStore),
  });
