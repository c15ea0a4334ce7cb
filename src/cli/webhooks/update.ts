/** `ledgerline webhooks update`: changes the URL, the event types or the description of an endpoint. */
import { readEndpointId, readEventTypes, withEndpoints } from './webhook-endpoints.ts';

export const webhooksUpdate = (id: string, options: { url?: string; types?: string; description?: string }) =>
  withEndpoints(async ({ endpoints, audit }) => {
    const { url, types, description } = await endpoints.update(readEndpointId(id), {
      url: options.url,
      types: readEventTypes(options.types),
      description: options.description,
    });
    await audit('update-webhook-endpoint', readEndpointId(id));
    console.log(`Endpoint ${id}: ${url}, ${types.join(', ') || 'all types'}${description ? `, ${description}` : ''}.`);
  });
