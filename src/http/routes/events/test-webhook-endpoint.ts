import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { boolean, integer, nullable, record } from '../../../formats/record.ts';
import { optional, required, text } from '../../../formats/shape.ts';
import { operation, reply } from '../../operation.ts';
import { endpointCommon } from './webhook-endpoint-shape.ts';

const result = record('WebhookTestResult', {
  delivered: required(boolean(), 'Whether the receiver accepted it.'),
  status: required(nullable(integer()), 'What the receiver answered.'),
  milliseconds: required(integer(), 'How long it took.'),
  error: optional(text(), 'Why it was not delivered.'),
});

export const testWebhookEndpointOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'test-webhook-endpoint',
    method: 'POST',
    path: '/webhook-endpoints/{id}/test',
    summary: 'Send a test event',
    about:
      'An event of the type endpoint.test is sent immediately, without retries, whatever the types of the endpoint.',
    responses: { 200: { about: 'What became of it.', shape: result } },
    handle: async ({ id, owner }) => reply(200, result, await endpoints.test(id, owner)),
  });
