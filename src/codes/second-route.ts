/**
 * Sends a code once more without being asked for, if its message failed, or if no receipt came in time from a gateway that
 * usually sends receipts: over another gateway of the same channel, and over the next channel. Each is done at most once
 * for a code, and is paid from the spend of the day only.
 */
import type { Target } from '../guard/destination.ts';
import { Problem } from '../errors.ts';
import type { ReportError } from '../monitoring/background.ts';
import type { Owner } from '../sharing/slots.ts';
import type { CodeChannel } from '../sms/channels.ts';
import type { MessageText } from '../sms/message.ts';
import { secondsAfter, secondsLeft, type Clock } from '../values/clock.ts';
import { parsePhoneNumber, type PhoneNumber } from '../values/phone-number.ts';
import type { Channels } from './choose-channels.ts';
import type { CodeKind } from './code.ts';
import type { CodeDelivery, CountedCode } from './deliver-code.ts';
import type { ClaimedText, LostText, SecondWay } from './lost-text.ts';
import type { ObjectToChannel } from './object-to-channel.ts';
import type { SecondRouteStore } from './second-route.store.ts';
import type { SpendOnText } from './spend-on-text.ts';

/** How the text of a kind of code is written again. */
export interface TextRebuilder {
  /** Whether the text says more than the code. */
  isFreeText(text: LostText): boolean;
  /** Exactly as it was; undefined if its key no longer exists. */
  rebuild(text: LostText, claimed: ClaimedText, phoneNumber: PhoneNumber, now: Date): RebuiltText | undefined;
}

export interface RebuiltText {
  code: string;
  purpose: string;
  written: MessageText;
}

export interface SecondRouteParts {
  store: SecondRouteStore;
  rebuilders: Readonly<Record<CodeKind, TextRebuilder>>;
  delivery: CodeDelivery;
  spend: SpendOnText;
  objectToChannel: ObjectToChannel;
  channels: Channels;
  /** The gateways that send over a channel to a country. */
  gatewaysFor(country: string | undefined, channel: CodeChannel): readonly string[];
  clock: Clock;
  report: ReportError;
  /** How long a message may be without a receipt, for each way that is on, in the order in which they are tried. */
  afterSeconds: ReadonlyMap<SecondWay, number>;
  codeAttempts: number;
}

/** A message that became due while no process ran is still of use for so long. */
const lateSeconds = 300;
/** A message may be recorded some time after its request, because a gateway may take its time. */
const recordedWithinSeconds = 30;
/** Texts that are found at once, and that may wait for a gateway. */
const textsAtOnce = 100;
const owner: Owner = { key: 'second-route', kind: 'service' };

/** Where a code is sent once more. */
interface Route {
  channels: readonly CodeChannel[];
  /** A gateway that is not asked. */
  except?: string;
}

export type SecondRoutes = ReturnType<typeof createSecondRoutes>;

export function createSecondRoutes({ store, delivery, clock, afterSeconds, ...parts }: SecondRouteParts) {
  const lookedUntil = new Map<SecondWay, Date>();
  /** A gateway that does not answer must not delay the messages of others. */
  const inFlight = new Set<Promise<void>>();

  /** A job. Returns whether there was something to send. */
  async function sendDue(): Promise<boolean> {
    let hasFound = false;
    for (const [way, seconds] of afterSeconds) hasFound = (await sendDueBy(way, seconds)) || hasFound;
    return hasFound;
  }

  async function sendDueBy(way: SecondWay, seconds: number): Promise<boolean> {
    const limit = textsAtOnce - inFlight.size;
    if (limit <= 0) return true;
    const to = secondsAfter(clock.now(), -seconds);
    const oldest = secondsAfter(to, -lateSeconds);
    const seen = secondsAfter(lookedUntil.get(way) ?? oldest, -recordedWithinSeconds);
    const lost = await store.findLost(way, seen > oldest ? seen : oldest, to, limit);
    const reports = new Map<string, Promise<boolean>>();
    const reportsReceipts = (text: LostText) => {
      const key = `${text.gateway} ${text.channel} ${text.country}`;
      if (!reports.has(key)) reports.set(key, store.reportsReceipts(text, to));
      return reports.get(key)!;
    };
    await Promise.all(
      lost.map(async (text) => {
        if (text.hasFailed || (await reportsReceipts(text))) await send(text, way);
      }),
    );
    // With more messages than the limit, the rest is found by the next run.
    if (lost.length < limit) lookedUntil.set(way, to);
    return lost.length > 0;
  }

  /** Returns whether it was claimed. The gateways are asked in the background. */
  async function send(text: LostText, way: SecondWay): Promise<boolean> {
    const route = findRoute(text, way);
    if (!route) return false;
    const now = clock.now();
    const claimed = await store.claim(text, way, now, parts.codeAttempts);
    if (!claimed) return false;
    keepInFlight(() => deliver(text, route, claimed, now));
    return true;
  }

  /** It counts, and is waited for at the end, until it is done. */
  function keepInFlight(work: () => Promise<void>): void {
    const working = work()
      .catch(parts.report)
      .finally(() => inFlight.delete(working));
    inFlight.add(working);
  }

  function findRoute(text: LostText, way: SecondWay): Route | undefined {
    const { gateway, channel } = text;
    const country = text.country || undefined;
    if (way === 'gateway') {
      const hasOther = parts.gatewaysFor(country, channel).some((name) => name !== gateway);
      return hasOther ? { channels: [channel], except: gateway } : undefined;
    }
    const isFreeText = parts.rebuilders[text.kind].isFreeText(text);
    const channels = parts.channels
      .followersOf(channel, { country, isFreeText })
      .filter((next) => parts.gatewaysFor(country, next).length > 0);
    return channels.length > 0 ? { channels } : undefined;
  }

  /** Another text of the same channel is paid from the spend of the day alone. */
  async function objectTo({ kind, channel }: LostText, target: Target): Promise<string | undefined> {
    if (target.channel !== channel) return parts.objectToChannel(kind, target);
    return (await parts.spend(target)) ? undefined : 'the spend of the day is used up';
  }

  async function deliver(text: LostText, route: Route, claimed: ClaimedText, now: Date): Promise<void> {
    const { kind, locale } = text;
    const phoneNumber = parsePhoneNumber(claimed.e164)!;
    const counted: CountedCode = {
      confirmationId: text.confirmation?.confirmationId ?? null,
      phoneNumber,
      messageNumber: claimed.messageNumber,
      requestedAt: now,
      channels: route.channels,
      validSeconds: secondsLeft(now, claimed.expiresAt),
      phoneKey: null,
      counted: [],
      ...text,
    };
    const rebuilt = parts.rebuilders[kind].rebuild(text, claimed, phoneNumber, now);
    if (!rebuilt) return delivery.abandon(counted, locale);
    const objection = await objectTo(text, {
      phoneNumber,
      channel: route.channels[0]!,
      segments: rebuilt.written.segments,
    });
    if (objection !== undefined) return delivery.abandon(counted, locale, objection);
    await delivery
      .deliver({ ...counted, ...rebuilt, except: route.except, traceId: 'second-route', owner })
      // What the gateways answered is recorded; there is no caller to tell.
      .catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
  }

  return {
    sendDue,

    /** Called with a receipt that says that a message failed. If too many wait, the job finds it when its time has passed. */
    onFailed({ userId, codeNumber }: { userId: number; codeNumber: number }): void {
      if (inFlight.size >= textsAtOnce) return;
      keepInFlight(async () => {
        const text = await store.findFailed(userId, codeNumber);
        if (!text) return;
        for (const way of afterSeconds.keys()) if (await send(text, way)) return;
      });
    },

    /** Waits until the gateways have answered. */
    async close(): Promise<void> {
      // A receipt that is looked up may add a message.
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
