/** Takes the gateways' word on what became of a message. Only an authentic word about a message of ours counts. */
import type { Clock } from '../clock.ts';
import type { DigestKeys } from '../digest-keys.ts';
import { receiptRefused } from '../errors.ts';
import type { Observe } from '../observe.ts';
import { brief, type Callback, type Gateway, type Receipt } from '../sms/gateway.ts';
import { readReference } from '../sms/reference.ts';
import type { ReceiptRow, TrailStore } from './trail.store.ts';

export interface ReceiptOptions {
  store: TrailStore;
  clock: Clock;
  observe: Observe;
  referenceKeys: DigestKeys;
}

/** A receipt may overtake the statement that records its message. */
const patienceMilliseconds = [100, 400, 1500];

export type TakeReceipts = ReturnType<typeof createReceipts>['take'];

export function createReceipts({ store, clock, observe, referenceKeys }: ReceiptOptions) {
  /** `addressed` is the reference in the address of the callback, where it has one. */
  async function take(gateway: Gateway, callback: Callback, addressed: string | undefined): Promise<void> {
    const receipts = gateway.readReceipts?.(callback);
    if (!receipts) return refuse(gateway, 'not-authentic');
    const named = addressed === undefined ? receipts.map(({ reference }) => reference ?? '') : [addressed];
    const messages = named.map((reference) => readReference(referenceKeys.all, reference));
    if (messages.includes(undefined)) return refuse(gateway, 'unknown-message');
    for (const [index, receipt] of receipts.entries()) {
      const message = messages[index] ?? messages[0]!;
      await apply(gateway.name, receipt, (row) => store.applyReceipt(message, row));
    }
  }

  function refuse(gateway: Gateway, reason: 'not-authentic' | 'unknown-message'): never {
    observe({ kind: 'receipt-refused', gateway: gateway.name, reason });
    throw receiptRefused();
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
