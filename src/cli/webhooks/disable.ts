/** `ledgerline webhooks disable`: stops sending events to an endpoint; deliveries that are due fail. */
import { setEnabled } from './webhook-endpoints.ts';

export const webhooksDisable = setEnabled(false);
