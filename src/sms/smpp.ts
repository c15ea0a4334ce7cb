/** SMPP 3.4: placeholder until the client is in. */
import type { Gateway, Receipt } from './gateway.ts';
import type { SenderOf } from './senders.ts';
export interface SmppSettings {
  url: string;
  password: string;
  systemType: string;
  window: number;
  sender: SenderOf;
  onReceipt(receipt: Receipt): void;
}
export function smpp(_: SmppSettings): Gateway {
  throw new Error('not yet');
}
