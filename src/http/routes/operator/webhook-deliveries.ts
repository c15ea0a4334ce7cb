import { writeEvent } from '../../../events/event.ts';
import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { instant, listOf, nullable, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { operation, operatorRead, reply } from '../../operation.ts';
import { deliveryMembers, deliveryQuery } from '../events/webhook-delivery-shape.ts';

const list = record('OperatorWebhookDeliveries', {
  deliveries: required(
    listOf(
      record('OperatorWebhookDelivery', {
        ...deliveryMembers,
        lastAttemptAt: required(nullable(instant()), 'When it was last tried.'),
        request: required(text(), 'The body that is sent.'),
        lastAnswer: required(nullable(text()), 'The first kilobyte of what the receiver answered last.'),
      }),
    ),
    'The deliveries, newest first.',
  ),
});

export const operatorWebhookDeliveriesOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...operatorRead,
    name: 'operator-webhook-deliveries',
    method: 'GET',
    path: '/operator/webhook-endpoints/{id}/deliveries',
    summary: 'Inspect deliveries',
    about: 'The latest deliveries to a webhook endpoint, with what was sent and answered.',
    unknownId: 'not-found',
    query: deliveryQuery,
    responses: { 200: { about: 'The deliveries.', shape: list } },
    async handle({ id, query: { state, limit } }) {
      const found = await endpoints.listDeliveries(id, state, limit);
      return reply(200, list, {
        deliveries: found.map(({ delivery, event, lastAttemptAt, lastAnswer }) => ({
          ...delivery,
          lastAttemptAt,
          request: writeEvent(event),
          lastAnswer,
        })),
      });
    },
  });
