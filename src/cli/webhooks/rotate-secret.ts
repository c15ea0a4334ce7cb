/** `ledgerline webhooks rotate-secret`: gives an endpoint a new secret and shows it. */
import { StartError } from '../../errors.ts';
import { readEndpointId, withEndpoints } from './webhook-endpoints.ts';

export const webhooksRotateSecret = (id: string, { overlap }: { overlap: string }) =>
  withEndpoints(async ({ endpoints, who }) => {
    const seconds = /^\d{1,6}$/.test(overlap) ? Number(overlap) : Number.NaN;
    if (!(seconds <= 604_800)) throw new StartError('--overlap must be seconds from 0 to 604800.');
    const secret = await endpoints.rotateSecret(who, readEndpointId(id), seconds);
    console.log(`The new secret is shown only now:\n${secret}`);
  });
