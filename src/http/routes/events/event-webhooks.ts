/** The `webhooks` of the OpenAPI document, made from the catalogue of events. */
import { catalogueEntries, eventSchema, testEventEntry, testEventType } from '../../../events/catalogue.ts';
import type { Schema } from '../../../formats/shape.ts';
import { exampleOf } from '../../openapi/examples.ts';

const headers: Record<string, string> = {
  'webhook-id': 'The id of the event, the same on every try.',
  'webhook-timestamp': 'Seconds since 1970 at which this try was sent.',
  'webhook-signature': 'Signatures by Standard Webhooks, separated by spaces: v1, and the base64 of an HMAC-SHA256.',
};

export function describeWebhooks(share: (schema: Schema) => Schema): Record<string, unknown> {
  const all = [...catalogueEntries, [testEventType, testEventEntry] as const];
  return Object.fromEntries(
    all.map(([type, entry]) => [
      type,
      {
        post: {
          summary: type,
          description: entry.when,
          parameters: Object.entries(headers).map(([name, description]) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: share(eventSchema(type, entry)),
                example: exampleOf(eventSchema(type, entry)),
              },
            },
          },
          responses: {
            '2XX': { description: 'Received. Anything else, or no answer within 15 seconds, is tried again.' },
            410: { description: 'Disables the endpoint.' },
          },
        },
      },
    ]),
  );
}
