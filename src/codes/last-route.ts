/** How the last text of a code was sent, for a resend. */
import type { TextRoute } from '../sms/failover.ts';

export interface LastRoute {
  lastRoute: TextRoute | undefined;
  /** Whether the text may be lost: no receipt said that it was delivered. */
  isDoubtful: boolean;
}

/** The text as the database returns it; null if there is none. */
export function readLastRoute(text: (TextRoute & { state: string }) | null | undefined): LastRoute {
  return {
    lastRoute: text ? { gateway: text.gateway, channel: text.channel } : undefined,
    isDoubtful: text?.state !== 'delivered',
  };
}
