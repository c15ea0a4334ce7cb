/** Tells the number that a user had before that it was replaced: without a code, and without the new number. */
import type { SpendOnText } from '../codes/spend-on-text.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import { inBackground, type ReportError } from '../monitoring/background.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { CodeChannel } from '../sms/channels.ts';
import type { Channels } from '../codes/choose-channels.ts';
import type { Dispatch, OutgoingMessage } from '../sms/failover.ts';
import type { WriteNotice } from '../sms/notice-text.ts';
import { makeReference } from '../sms/reference.ts';
import type { PhoneNumber } from '../values/phone-number.ts';
import type { ChangesStore } from './changes.store.ts';

export interface NoticeParts {
  store: ChangesStore;
  spend: SpendOnText;
  write: WriteNotice;
  channels: Channels;
  dispatch(message: OutgoingMessage): Promise<Dispatch>;
  referenceKeys: DigestKeys;
  observe: Observe;
  report: ReportError;
}

/** A text that arrives later than this confuses more than it helps. */
const validSeconds = 86_400;

export type SendNotice = (userId: number, phoneNumber: PhoneNumber, traceId: string) => void;

/** Best effort, in the background. It is counted against the spend of the day, and against nothing else. */
export function createSendNotice({ store, observe, ...parts }: NoticeParts): SendNotice {
  return (userId, phoneNumber, traceId) =>
    inBackground(async () => {
      const reason = await send(userId, phoneNumber, traceId);
      observe({ kind: 'change-notice', userId, outcome: reason === undefined ? 'sent' : 'failed', reason, traceId });
    }, parts.report);

  /** Returns why it was not sent. */
  async function send(userId: number, phoneNumber: PhoneNumber, traceId: string): Promise<string | undefined> {
    const channels = parts.channels.orderFor({ country: phoneNumber.country, isFreeText: true });
    if (channels.length === 0) return 'channel';
    const { e164, country } = phoneNumber;
    const { text, locale, dlt, segments } = parts.write({ locale: await store.readLocale(userId), country });
    const isPaid = (channel: CodeChannel) => parts.spend({ phoneNumber, channel, segments });
    if (!(await isPaid(channels[0]!))) return 'spend';
    const messageNumber = await store.takeMessageNumber(userId);
    if (messageNumber === undefined) return 'erased';
    const { outcome, reason } = await parts.dispatch({
      referenceOf: (tryNumber) =>
        makeReference(parts.referenceKeys.current, { userId, number: messageNumber }, tryNumber),
      e164,
      country,
      channels,
      admitChannel: isPaid,
      text,
      locale,
      code: null,
      purpose: 'notice',
      validSeconds,
      dlt,
      traceId,
    });
    return outcome === 'accepted' ? undefined : (reason ?? outcome);
  }
}
