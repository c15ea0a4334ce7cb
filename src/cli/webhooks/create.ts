/** `ledgerline webhooks create`: creates an endpoint and shows its secret. */
import { readEventTypes, withEndpoints } from './webhook-endpoints.ts';

export const webhooksCreate = (url: string, { types, description }: { types?: string; description?: string }) =>
  withEndpoints(async ({ endpoints, who }) => {
    const { id, secret } = await endpoints.create(who, { url, types: readEventTypes(types) ?? [], description });
    console.log(`Endpoint ${id}. Its secret is shown only now:\n${secret}`);
  });
