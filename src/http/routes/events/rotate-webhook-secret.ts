import type { WebhookEndpoints } from '../../../events/webhooks/webhook-endpoints.ts';
import { record } from '../../../formats/record.ts';
import { body, int32, withDefault } from '../../../formats/shape.ts';
import { noStore, operation, reply } from '../../operation.ts';
import { endpointCommon, endpointSecret } from './webhook-endpoint-shape.ts';

const input = body('RotateWebhookSecretRequest', {
  overlapSeconds: withDefault(int32(0, 604_800), 86_400, 'How long the earlier secrets are also used to sign.'),
});

const rotated = record('WebhookSecret', { secret: endpointSecret });

export const rotateWebhookSecretOperation = (endpoints: WebhookEndpoints) =>
  operation({
    ...endpointCommon,
    name: 'rotate-webhook-secret',
    method: 'POST',
    path: '/webhook-endpoints/{id}/rotate-secret',
    summary: 'Rotate the secret',
    about: 'Until the overlap has passed, all secrets sign, so that the receiver can change over at any time.',
    input,
    example: { overlapSeconds: 86_400 },
    responses: { 200: { about: 'The new secret.', shape: rotated } },
    handle: async ({ caller, id, body: { overlapSeconds } }) =>
      reply(200, rotated, { secret: await endpoints.rotateSecret(caller, id, overlapSeconds) }, noStore),
  });
