/** `ledgerline webhooks update`: changes the URL, the event types or the description of an endpoint. */
import { printable } from '../../formats/printable.ts';
import { readEndpointId, readEventTypes, withEndpoints } from './webhook-endpoints.ts';

export const webhooksUpdate = (id: string, options: { url?: string; types?: string; description?: string }) =>
  withEndpoints(async ({ endpoints, who }) => {
    const { url, types, description } = await endpoints.update(who, readEndpointId(id), {
      url: options.url,
      types: readEventTypes(options.types),
      description: options.description,
    });
    const about = `${url}, ${types.join(', ') || 'all types'}${description ? `, ${description}` : ''}`;
    console.log(`Endpoint ${id}: ${printable(about)}.`);
  });
