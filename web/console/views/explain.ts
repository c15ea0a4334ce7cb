/** Explains from a trail why a customer is not verified, in the words of a support person. */
import type { LoggedMessage, TrailEvent, TrailMessage, UserTrail } from '../../../client/index.ts';
import { evidenceSentence, evidenceSubject } from './evidence.ts';
import { formatNumber, formatSpan, formatTime } from '../format.ts';
import { t } from '../texts.ts';

/** A step of a timeline. */
export interface Step {
  at: string;
  text: string;
  tone: 'good' | 'bad' | 'plain';
}

const reasonText = (reason: string | null) =>
  reason ? ((t.steps.reasons as Record<string, string>)[reason] ?? reason) : t.common.noReason;

/** Everything that happened, newest first. */
export function stepsOf({ messages, events }: UserTrail): Step[] {
  const steps = [...messages.flatMap(messageSteps), ...events.flatMap(eventSteps)];
  // If two steps have the same time, the later one also comes first.
  return steps.reverse().sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** The history of one message, oldest step first, with the attempts to use its code. */
export function wayOf(message: LoggedMessage, events: readonly TrailEvent[]): Step[] {
  if (message.state === 'stopped') return stoppedSteps(message);
  const text = { ...message, number: message.codeNumber } as unknown as TrailMessage;
  const end = message.verifiedAt ?? message.expiresAt!;
  const refused = message.confirmation ? 'confirmation-refused' : 'verify-refused';
  const attempts = events.filter(({ kind, at }) => kind === refused && at >= message.requestedAt && at <= end);
  const [requested, ...others] = messageSteps(text);
  const steps = [requested!];
  if (['accepted', 'delivered', 'unknown'].includes(message.outcome)) {
    steps.push({ at: message.requestedAt, text: t.steps.valid(formatTime(message.expiresAt!)), tone: 'plain' });
  }
  steps.push(...others);
  if (message.state === 'accepted') steps.push({ at: message.stateAt!, text: t.steps.noReceipt, tone: 'plain' });
  // Steps of the same time stay in this order.
  return [...steps, ...attempts.flatMap(eventSteps)].sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at));
}

function stoppedSteps({ requestedAt, phoneNumber, rule, reason, figures }: LoggedMessage): Step[] {
  const stopped = t.steps.stopped(rule ?? '');
  const evidence = figures ? `${evidenceSubject(figures)}: ${evidenceSentence(figures)}` : reason;
  return [
    { at: requestedAt, text: t.steps.requestedAny(phoneNumber ?? '–'), tone: 'plain' },
    { at: requestedAt, text: evidence ? `${stopped}: ${evidence}` : stopped, tone: 'bad' },
  ];
}

function messageSteps(message: TrailMessage): Step[] {
  const { number, phoneNumber, country, gateway, state, reason, tries, answeredAt, stateAt } = message;
  const code = String(number);
  const by = message.channel === 'sms' ? '' : ` (${t.messages.channels[message.channel]})`;
  const to = `${phoneNumber}${country ? ` (${country})` : ''}`;
  const { confirmation } = message;
  const steps: Step[] = [{ at: message.requestedAt, text: requestedText(message, code, to), tone: 'plain' }];
  for (const attempt of tries) {
    if (attempt.outcome === 'accepted') continue;
    const sentence = attempt.outcome === 'unknown' ? t.steps.tryUnknown : t.steps.tryFailed;
    const text = sentence(attempt.gateway, code, attempt.reason ?? attempt.outcome);
    steps.push({ at: answeredAt, text, tone: 'bad' });
  }
  if (state === 'refused' || state === 'unavailable')
    steps.push({ at: answeredAt, text: t.steps.refused(code), tone: 'bad' });
  else if (state === 'unknown') steps.push({ at: answeredAt, text: t.steps.unknown(code), tone: 'bad' });
  else steps.push({ at: answeredAt, text: t.steps.accepted(gateway, code) + by, tone: 'plain' });
  if (state === 'delivered') {
    const seconds = (Date.parse(stateAt) - Date.parse(answeredAt)) / 1000;
    const text = seconds >= 1 ? t.steps.deliveredAfter(code, formatSpan(seconds)) : t.steps.delivered(code);
    steps.push({ at: stateAt, text, tone: 'good' });
  }
  if (state === 'failed') {
    steps.push({ at: stateAt, text: t.steps.failed(code, reason ?? t.common.noReason), tone: 'bad' });
  }
  if (message.outcome === 'expired' && !endedBefore(message))
    steps.push({ at: message.expiresAt, text: t.steps.expired(code), tone: 'bad' });
  if (message.verifiedAt) {
    const verified = message.for === 'change' ? t.steps.changedBy(code) : t.steps.verified(code);
    const used = confirmation ? t.steps.approved(code, confirmation.purpose) : verified;
    steps.push({ at: message.verifiedAt, text: used, tone: 'good' });
  }
  return steps;
}

function requestedText({ for: kind, confirmation }: TrailMessage, code: string, to: string): string {
  if (confirmation) return t.steps.requestedFor(code, confirmation.purpose, to);
  return kind === 'change' ? t.steps.requestedChange(code, to) : t.steps.requested(code, to);
}

/** The code of a confirmation may have ended before its time. */
function endedBefore({ confirmation }: TrailMessage): boolean {
  return confirmation?.state === 'void' || confirmation?.state === 'failed';
}

function eventSteps({ at, kind, reason, times }: TrailEvent): Step[] {
  // The step of the message already shows this.
  if (kind === 'verified' || kind === 'confirmation-approved') return [];
  const texts: Record<string, string> = {
    'send-refused': t.steps.sendRefused(reasonText(reason)),
    'verify-refused': t.steps.verifyRefused(reasonText(reason)),
    'confirmation-refused': t.steps.checkRefused(reasonText(reason)),
    'phone-unlinked': t.steps.unlinked,
    'phone-changed': t.steps.changed,
    'block-lifted': t.steps.lifted(reason ?? t.steps.anOperator),
  };
  const text = texts[kind] ?? `${kind}${reason ? `: ${reason}` : ''}`;
  const isRefused = kind.endsWith('refused');
  return [
    {
      at,
      text: isRefused && times > 1 ? t.steps.times(text, formatNumber(times)) : text,
      tone: isRefused ? 'bad' : 'plain',
    },
  ];
}

/** One sentence: the state of this customer, and why. */
export function verdictOf(trail: UserTrail, isBlocked: boolean): Step {
  // Whoever confirms something is verified: confirmations say nothing about that.
  const [last] = trail.messages.filter(({ confirmation }) => confirmation === null);
  const isAboutPhone = ({ kind, reason }: TrailEvent) =>
    !kind.startsWith('confirmation-') && reason !== 'user-confirmations';
  const [event] = trail.events.filter(isAboutPhone).sort((a, b) => (a.at < b.at ? 1 : -1));
  const at = [last?.stateAt, event?.at].reduce<string>((latest, time) => (time && time > latest ? time : latest), '');
  if (trail.verified) return { at, text: verifiedText(trail.verified.at, event, last), tone: 'good' };
  return { at, ...unverifiedText(event, last, isBlocked) };
}

/** With what failed since then. */
function verifiedText(since: string, event: TrailEvent | undefined, last: TrailMessage | undefined): string {
  if (last && last.for === 'change' && !last.verifiedAt && last.requestedAt > since) return t.steps.isVerifiedChange;
  if (!event || event.at <= since) return t.steps.isVerified;
  if (event.kind === 'send-refused') return t.steps.isVerifiedSend(reasonText(event.reason));
  if (event.kind === 'verify-refused') return t.steps.isVerifiedCode(reasonText(whyNoCode(event, last)));
  return t.steps.isVerified;
}

function unverifiedText(
  event: TrailEvent | undefined,
  last: TrailMessage | undefined,
  isBlocked: boolean,
): Pick<Step, 'text' | 'tone'> {
  if (event?.kind === 'phone-unlinked' && (!last || event.at >= last.requestedAt)) {
    return { text: t.steps.isUnlinked, tone: 'plain' };
  }
  if (event && event.kind === 'block-lifted' && !isBlocked) {
    return { text: t.steps.isLifted(event.reason ?? t.steps.anOperator), tone: 'plain' };
  }
  if (event && event.kind.endsWith('refused') && (!last || event.at >= last.requestedAt)) {
    const over = event.reason === 'blocked' && !isBlocked ? ` ${t.steps.isOver}` : '';
    return { text: `${t.steps.isNot(reasonText(whyNoCode(event, last)))}${over}`, tone: 'bad' };
  }
  if (!last) return { text: t.steps.neverRequested, tone: 'plain' };
  const states: Record<string, string> = {
    refused: t.steps.isRefused,
    unavailable: t.steps.isRefused,
    failed: t.steps.isFailed,
    unknown: t.steps.isUnknown,
    expired: t.steps.isExpired,
    verified: t.steps.isUnlinked,
  };
  const text = states[last.outcome];
  if (text === undefined) return { text: t.steps.isWaiting, tone: 'plain' };
  return { text: last.reason ? t.steps.because(text, last.reason) : text, tone: 'bad' };
}

/** Why there was no valid code at the time of the event, as far as the last code tells. */
function whyNoCode({ at, reason }: TrailEvent, last: TrailMessage | undefined): string | null {
  if (reason !== 'no-code') return reason;
  if (!last) return 'no-code-yet';
  if (last.verifiedAt) return 'code-used';
  if (at >= last.expiresAt) return 'code-expired';
  return ['accepted', 'delivered'].includes(last.state) ? 'code-used-up' : reason;
}
