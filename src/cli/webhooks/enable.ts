/** `ledgerline webhooks enable`: sends events to an endpoint again. */
import { setEnabled } from './webhook-endpoints.ts';

export const webhooksEnable = setEnabled(true);
