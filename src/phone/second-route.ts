/**
 * Sends a code once more over another gateway if its text failed, or if no receipt came in time from a gateway that
 * usually sends receipts. The user asks for nothing, so the text is paid from the spend of the day only.
 */
import type { CodeMaker } from '../codes/code-maker.ts';
import type { CodeDelivery } from '../codes/deliver-code.ts';
import type { SpendOnText } from '../codes/spend-on-text.ts';
import { Problem } from '../errors.ts';
import { inBackground, type ReportError } from '../monitoring/background.ts';
import type { Owner } from '../sharing/slots.ts';
import type { CodeChannel } from '../sms/channels.ts';
import type { WriteMessage } from '../sms/message.ts';
import { secondsAfter, secondsBetween, type Clock } from '../values/clock.ts';
import { parsePhoneNumber } from '../values/phone-number.ts';
import type { LostText, SecondRouteStore } from './second-route.store.ts';

export interface SecondRouteParts {
  store: SecondRouteStore;
  codes: CodeMaker;
  delivery: CodeDelivery;
  write: WriteMessage;
  spend: SpendOnText;
  /** The gateways that send over a channel to a country. */
  gatewaysFor(country: string | undefined, channel: CodeChannel): readonly string[];
  clock: Clock;
  report: ReportError;
  afterSeconds: number;
  codeAttempts: number;
}

/** A text that became due while no process ran is still of use for so long. */
const lateSeconds = 300;
/** A text may be recorded some time after its request, because a gateway may take its time. */
const recordedWithinSeconds = 30;
const textsAtOnce = 100;
const owner: Owner = { key: 'second-route', kind: 'service' };

export type SecondRoutes = ReturnType<typeof createSecondRoutes>;

export function createSecondRoutes({ store, codes, delivery, clock, afterSeconds, ...parts }: SecondRouteParts) {
  let lookedUntil: Date | undefined;

  /** A job. Returns whether there was something to send. */
  async function sendDue(): Promise<boolean> {
    const to = secondsAfter(clock.now(), -afterSeconds);
    const oldest = secondsAfter(to, -lateSeconds);
    const seen = secondsAfter(lookedUntil ?? oldest, -recordedWithinSeconds);
    const lost = await store.findLost(seen > oldest ? seen : oldest, to, textsAtOnce);
    await Promise.all(lost.map((text) => send(text, to)));
    // With more texts than at once, the rest is found by the next run.
    if (lost.length < textsAtOnce) lookedUntil = to;
    return lost.length > 0;
  }

  async function send(text: LostText, until: Date): Promise<void> {
    const { gateway, country, channel } = text;
    if (parts.gatewaysFor(country || undefined, channel).every((name) => name === gateway)) return;
    if (!text.hasFailed && !(await store.reportsReceipts(gateway, country, until))) return;
    const now = clock.now();
    const route = await store.reserve(text, now, parts.codeAttempts);
    if (!route) return;
    const { kind, userId, codeNumber, correlationType, locale } = text;
    const phoneNumber = parsePhoneNumber(route.e164)!;
    const counted = {
      kind,
      confirmationId: null,
      userId,
      phoneNumber,
      correlationType,
      codeNumber,
      messageNumber: route.messageNumber,
      requestedAt: now,
      channels: [channel],
      validSeconds: Math.floor(secondsBetween(now, route.expiresAt)),
      phoneKey: null,
      counted: [],
    };
    const code = codes.recover(route.stored, { kind, userId, boundTo: route.e164 }, route.e164, now);
    if (code === undefined) return delivery.abandon(counted, locale, 'the code cannot be sent again');
    if (!(await parts.spend(phoneNumber))) return delivery.abandon(counted, locale, 'the spend of the day is used up');
    const written = parts.write({ locale, country: phoneNumber.country, correlationType, code });
    await delivery
      .deliver({ ...counted, code, purpose: kind, written, except: gateway, traceId: 'second-route', owner })
      // What the gateways answered is recorded; there is no caller to tell.
      .catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
  }

  return {
    sendDue,

    /** Called with a receipt that says that a text failed. */
    onFailed({ userId, codeNumber }: { userId: number; codeNumber: number }): void {
      inBackground(async () => {
        const text = await store.findFailed(userId, codeNumber);
        if (text) await send(text, clock.now());
      }, parts.report);
    },
  };
}
