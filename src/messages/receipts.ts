/** Applies delivery receipts. A receipt must be authentic, and about a message of ours. */
import type { Clock } from '../values/clock.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import { receiptRefused } from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { CodeChannel } from '../sms/channels.ts';
import { brief, gatewayIdOf, type Callback, type Gateway, type Receipt } from '../sms/gateway.ts';
import { readReference } from '../sms/reference.ts';
import type { AppliedReceipt, ReceiptRow, TrailStore } from './trail.store.ts';

export interface ReceiptOptions {
  store: TrailStore;
  clock: Clock;
  observe: Observe;
  referenceKeys: DigestKeys;
  /** How a gateway sends. */
  channelOf(gateway: string): CodeChannel;
  /** Counts the text of a code as delivered or failed. */
  onMoved(code: NonNullable<AppliedReceipt['code']>, state: Receipt['state'], at: Date): Promise<void>;
}

/** A receipt may arrive before its message is recorded. */
const retryMilliseconds = [100, 400, 1500];

/** Maximum number of receipts in one callback. Gateways report one or a few at a time. */
const receiptLimit = 100;

export type TakeReceipts = ReturnType<typeof createReceipts>['take'];

export function createReceipts({ store, clock, observe, referenceKeys, channelOf, onMoved }: ReceiptOptions) {
  /** `urlReference` is the reference in the URL of the callback, if it has one. */
  async function take(gateway: Gateway, callback: Callback, urlReference: string | undefined): Promise<void> {
    const receipts = gateway.readReceipts?.(callback)?.slice(0, receiptLimit);
    if (!receipts) return refuse(gateway, 'not-authentic');
    const references = urlReference === undefined ? receipts.map(({ reference }) => reference ?? '') : [urlReference];
    const messages = references.map((reference) => readReference(referenceKeys.all, reference));
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

  /** A receipt that an SMSC sends on our own connection to it. */
  async function takeSmpp(receipt: Receipt): Promise<void> {
    await apply('smpp', receipt, (row) => store.applySmppReceipt(row));
  }

  async function apply(
    gateway: string,
    { id, state, reason }: Receipt,
    write: (row: ReceiptRow) => Promise<AppliedReceipt>,
  ): Promise<void> {
    const row = {
      gateway,
      channel: channelOf(gateway),
      gatewayId: gatewayIdOf(id) ?? null,
      state,
      reason: reason === undefined ? null : brief(reason),
      at: clock.now(),
    };
    let applied = await write(row);
    for (const pause of retryMilliseconds) {
      if (applied.result !== 'absent') break;
      await new Promise((resolve) => setTimeout(resolve, pause));
      applied = await write(row);
    }
    observe({ kind: 'receipt', gateway, state, result: applied.result });
    if (applied.code) await onMoved(applied.code, state, row.at);
  }

  return { take, takeSmpp };
}
