/** The operations on webhook endpoints. */
import { eventTypes } from '../../events/catalogue.ts';
import type { WebhookEndpoints } from '../../events/webhooks/webhook-endpoints.ts';
import { boolean, instant, integer, listOf, nullable, record } from '../../formats/record.ts';
import { body, int32, optional, required, text, withDefault } from '../../formats/shape.ts';
import { eventType } from '../event-type.ts';
import { empty, noStore, operation, reply, type AnyOperation } from '../operation.ts';

/** What all operations on webhook endpoints have in common. */
export const endpointCommon = { tag: 'Webhooks', scopes: ['events:write'], unknownId: 'not-found' } as const;
export const endpointErrors = ['not-found'] as const;

const url = text({ trim: true, maxLength: 2048, schema: { format: 'uri' } });
const types = listOf(eventType, 2 * eventTypes.length);
const description = text({ maxLength: 256 });

const createInput = body('CreateWebhookEndpointRequest', {
  url: required(url, 'Where events are posted: https, without credentials, at a public address.'),
  types: optional(types, 'The event types to send; absent or empty for all.'),
  description: optional(description, 'A text for people.'),
});

const updateInput = body('UpdateWebhookEndpointRequest', {
  url: optional(url, 'Where events are posted.'),
  types: optional(types, 'The event types to send; empty for all.'),
  description: optional(description, 'A text for people; empty for none.'),
  enabled: optional(boolean(), 'Whether events are sent. What is due when it is disabled fails.'),
});

const rotateInput = body('RotateWebhookSecretRequest', {
  overlapSeconds: withDefault(int32(0, 604_800), 86_400, 'How long the earlier secrets sign as well.'),
});

const secret = required(text(), 'whsec_ and the base64 of the key. It is shown only now.');

export const endpointMembers = {
  id: required(integer(), 'The endpoint.'),
  url: required(text(), 'Where events are posted.'),
  types: required(listOf(text()), 'The event types that are sent; empty for all.'),
  description: required(nullable(text()), 'A text for people.'),
  enabled: required(boolean(), 'Whether events are sent.'),
  disabledReason: required(
    nullable(text()),
    'gone: the receiver answered 410; failing: it failed for five days; request: a client asked for it.',
  ),
  createdAt: required(instant(), 'When the endpoint was created.'),
};

const endpoint = record('WebhookEndpoint', endpointMembers);
const created = record('CreatedWebhookEndpoint', { ...endpointMembers, secret });
const list = record('WebhookEndpoints', { endpoints: required(listOf(endpoint), 'The endpoints, oldest first.') });
const rotated = record('WebhookSecret', { secret });

export function webhookEndpointOperations(endpoints: WebhookEndpoints): AnyOperation[] {
  return [
    operation({
      ...endpointCommon,
      name: 'create-webhook-endpoint',
      method: 'POST',
      path: '/webhook-endpoints',
      summary: 'Create a webhook endpoint',
      about: 'Events that happen from now on are posted to it, signed by Standard Webhooks. At most 100 can exist.',
      input: createInput,
      inputRequired: true,
      example: { url: 'https://example.com/hooks/ledgerline', types: ['phone.verified', 'transactions.recorded'] },
      responses: { 201: { about: 'The endpoint, with its secret.', shape: created } },
      errors: ['too-many-endpoints'],
      handle: async ({ body: input }) =>
        reply(201, created, await endpoints.create({ ...input, types: input.types ?? [] }), noStore),
    }),
    operation({
      ...endpointCommon,
      name: 'list-webhook-endpoints',
      method: 'GET',
      path: '/webhook-endpoints',
      summary: 'List the webhook endpoints',
      responses: { 200: { about: 'The endpoints.', shape: list } },
      handle: async () => reply(200, list, { endpoints: await endpoints.list() }),
    }),
    operation({
      ...endpointCommon,
      name: 'get-webhook-endpoint',
      method: 'GET',
      path: '/webhook-endpoints/{id}',
      summary: 'Read a webhook endpoint',
      responses: { 200: { about: 'The endpoint.', shape: endpoint } },
      errors: endpointErrors,
      handle: async ({ id }) => reply(200, endpoint, await endpoints.get(id)),
    }),
    operation({
      ...endpointCommon,
      name: 'update-webhook-endpoint',
      method: 'POST',
      path: '/webhook-endpoints/{id}',
      summary: 'Change a webhook endpoint',
      about: 'Only the members that are given change.',
      input: updateInput,
      example: { enabled: true },
      responses: { 200: { about: 'The endpoint as it is now.', shape: endpoint } },
      errors: endpointErrors,
      handle: async ({ id, body: changes }) => reply(200, endpoint, await endpoints.update(id, changes)),
    }),
    operation({
      ...endpointCommon,
      name: 'delete-webhook-endpoint',
      method: 'DELETE',
      path: '/webhook-endpoints/{id}',
      summary: 'Delete a webhook endpoint',
      about: 'With its deliveries. What is due is not sent any more.',
      responses: { 204: { about: 'The endpoint is deleted.' } },
      errors: endpointErrors,
      async handle({ id }) {
        await endpoints.remove(id);
        return empty(204);
      },
    }),
    operation({
      ...endpointCommon,
      name: 'rotate-webhook-secret',
      method: 'POST',
      path: '/webhook-endpoints/{id}/rotate-secret',
      summary: 'Give a webhook endpoint a new secret',
      about: 'Until the overlap has passed, all secrets sign, so that the receiver can change over at any time.',
      input: rotateInput,
      example: { overlapSeconds: 86_400 },
      responses: { 200: { about: 'The new secret.', shape: rotated } },
      errors: endpointErrors,
      handle: async ({ id, body: { overlapSeconds } }) =>
        reply(200, rotated, { secret: await endpoints.rotateSecret(id, overlapSeconds) }, noStore),
    }),
  ];
}
