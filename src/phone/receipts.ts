/** Takes the gateways' word on what became of a message. Only an authentic word about a message of ours counts. */
import type { Clock } from '../clock.ts';
import { receiptRefused } from '../errors.ts';
import type { Observe } from '../observe.ts';
import { brief, type Callback, type Gateway, type Receipt } from '../sms/gateway.ts';
import { readReference } from '../sms/reference.ts';
import type { ReceiptRow, TrailStore } from './trail.store.ts';

export interface ReceiptOptions {
  store: TrailStore;
  clock: Clock;
  observe: Observe;
  referenceKey: Buffer;
}

/** A receipt may overtake the statement that records its message. */
const patienceMilliseconds = [100, 400, 1500];

export type TakeReceipts = ReturnType<typeof createReceipts>['take'];

export function createReceipts({ store, clock, observe, referenceKey }: ReceiptOptions) {
  /** `addressed` is the reference in the address of the callback, where it has one. */
  async function take(gateway: Gateway, callback: Callback, addressed: string | undefined): Promise<void> {
    const receipts = gateway.readReceipts?.(callback);
    if (!receipts) {
      observe({ kind: 'receipt-refused', gateway: gateway.name, reason: 'not-authentic' });
      throw receiptRefused();
    }
    for (const receipt of receipts) {
      const message = readReference(referenceKey, addressed ?? receipt.reference ?? '');
      if (!message) {
        observe({ kind: 'receipt-refused', gateway: gateway.name, reason: 'unknown-message' });
        throw receiptRefused();
      }
      await apply(gateway.name, receipt, (row) => store.applyReceipt(message, row));
    }
  }

  /** What an SMSC says on our own connection to it. */
  async function takeSmpp(receipt: Receipt): Promise<void> {
    await apply('smpp', receipt, (row) => store.applySmppReceipt(row));
  }

  async function apply(
    gateway: string,
    { id, state, reason }: Receipt,
    write: (row: ReceiptRow) => Promise<'moved' | 'known' | 'absent'>,
  ): Promise<void> {
    const row = {
      gateway,
      gatewayId: id?.slice(0, 200) || null,
      state,
      reason: reason === undefined ? null : brief(reason),
      at: clock.now(),
    };
    let result = await write(row);
    for (const pause of patienceMilliseconds) {
      if (result !== 'absent') break;
      await new Promise((resolve) => setTimeout(resolve, pause));
      result = await write(row);
    }
    observe({ kind: 'receipt', gateway, state, result });
  }

  return { take, takeSmpp };
}
