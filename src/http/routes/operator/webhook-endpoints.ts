import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { boolean, instant, integer, listOf, nullable, record } from '../../../formats/record.ts';
import { required } from '../../../formats/shape.ts';
import { operation, operatorRead, reply } from '../../operation.ts';
import { endpointMembers } from '../events/webhook-endpoint-shape.ts';

const list = record('OperatorWebhookEndpoints', {
  endpoints: required(
    listOf(
      record('OperatorWebhookEndpoint', {
        ...endpointMembers,
        failingSince: required(nullable(instant()), 'The first failure since the last success.'),
        isTried: required(boolean(), 'Whether something was sent to it, as far as deliveries are kept.'),
        due: required(integer(), 'Deliveries that are due; counted up to 1,000.'),
        oldestDueAt: required(nullable(instant()), 'Since when the oldest of them is due.'),
      }),
    ),
    'The endpoints, oldest first.',
  ),
});

export const operatorWebhookEndpointsOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...operatorRead,
    name: 'operator-webhook-endpoints',
    method: 'GET',
    path: '/operator/webhook-endpoints',
    summary: 'Inspect webhook endpoints',
    about: 'The webhook endpoints with their health.',
    responses: { 200: { about: 'The endpoints.', shape: list } },
    handle: async ({ owner }) => reply(200, list, { endpoints: await endpoints.listHealth(owner) }),
  });
