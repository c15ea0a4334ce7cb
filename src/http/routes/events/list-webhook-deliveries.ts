import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { listOf, record } from '../../../formats/record.ts';
import { required } from '../../../formats/shape.ts';
import { operation, reply } from '../../operation.ts';
import { deliveryMembers, deliveryQuery } from './webhook-delivery-shape.ts';
import { endpointCommon } from './webhook-endpoint-shape.ts';

const list = record('WebhookDeliveries', {
  deliveries: required(listOf(record('WebhookDelivery', deliveryMembers)), 'The deliveries, newest first.'),
});

export const listWebhookDeliveriesOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'list-webhook-deliveries',
    method: 'GET',
    path: '/webhook-endpoints/{id}/deliveries',
    summary: 'List deliveries',
    about: 'The latest deliveries to a webhook endpoint.',
    query: deliveryQuery,
    responses: { 200: { about: 'The deliveries.', shape: list } },
    async handle({ id, query: { state, limit } }) {
      const found = await endpoints.listDeliveries(id, state, limit);
      return reply(200, list, { deliveries: found.map(({ delivery }) => delivery) });
    },
  });
