import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { listOf, record } from '../../../formats/record.ts';
import { required } from '../../../formats/shape.ts';
import { operation, reply } from '../../operation.ts';
import { endpointCommon, endpointShape } from './webhook-endpoint-shape.ts';

const list = record('WebhookEndpoints', { endpoints: required(listOf(endpointShape), 'The endpoints, oldest first.') });

export const listWebhookEndpointsOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'list-webhook-endpoints',
    method: 'GET',
    path: '/webhook-endpoints',
    summary: 'List webhook endpoints',
    responses: { 200: { about: 'The endpoints.', shape: list } },
    handle: async () => reply(200, list, { endpoints: await endpoints.list() }),
  });
