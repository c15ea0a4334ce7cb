/** Explains from a trail why a customer is not verified, in the words of a support person. */
import type { LoggedMessage, TrailEvent, TrailMessage, UserTrail } from '../../../client/index.ts';
import { evidenceSentence, evidenceSubject } from './evidence.ts';
import { formatNumber, formatSpan, formatTime } from '../format.ts';
import { channelNames } from '../message-names.ts';

/** Why a code was refused or did not verify. */
export const reasons: Readonly<Record<string, string>> = {
  'user-sends': 'they requested too many codes',
  'address-sends': 'too many codes were requested from their address',
  'token-sends': 'too many codes were requested with their tokens',
  country: 'no codes are sent to this country',
  'number-type': 'no codes are sent to this kind of number',
  spend: 'the message costs more than may be spent',
  'phone-sends': 'too many codes were sent to this number',
  'phone-users': 'too many users had codes sent to this number',
  'user-phones': 'they had codes sent to too many numbers',
  prefix: 'too few of the codes to this range of numbers are used',
  challenge: 'a proof of work was asked for, and there was none',
  'country-sends': 'too many codes were sent to this country today',
  'phone-taken': 'the number belongs to another user',
  blocked: 'they were blocked after too many failures',
  'no-code': 'there was no valid code',
  'no-code-yet': 'no code had been requested',
  'code-used': 'the code had been used already',
  'code-expired': 'the code had expired',
  'code-used-up': 'the code was void after too many wrong attempts',
  'wrong-code': 'the code was wrong',
  'other-terms': 'amount, currency, payee or purpose was another than agreed to',
  ended: 'the confirmation had ended',
  unknown: 'there was no such confirmation',
  'user-confirmations': 'they requested too many confirmations',
  'lost-race': 'another user verified the number first',
};

/** A step of a timeline. */
export interface Step {
  at: string;
  text: string;
  tone: 'good' | 'bad' | 'plain';
}

const reasonText = (reason: string | null) => (reason ? (reasons[reason] ?? reason) : 'no reason given');

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
    steps.push({
      at: message.requestedAt,
      text: `The code is valid until ${formatTime(message.expiresAt!)}`,
      tone: 'plain',
    });
  }
  steps.push(...others);
  if (message.state === 'accepted')
    steps.push({ at: message.stateAt!, text: 'No receipt has arrived yet', tone: 'plain' });
  // Steps of the same time stay in this order.
  return [...steps, ...attempts.flatMap(eventSteps)].sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at));
}

function stoppedSteps({ requestedAt, phoneNumber, rule, reason, figures }: LoggedMessage): Step[] {
  const stopped = `The rule ${rule ?? ''} refused the request. No gateway was asked`;
  const evidence = figures ? `${evidenceSubject(figures)}: ${evidenceSentence(figures)}` : reason;
  return [
    { at: requestedAt, text: `A code was requested, to ${phoneNumber ?? '–'}`, tone: 'plain' },
    { at: requestedAt, text: evidence ? `${stopped}: ${evidence}` : stopped, tone: 'bad' },
  ];
}

function messageSteps(message: TrailMessage): Step[] {
  const { number, phoneNumber, country, gateway, state, reason, tries, answeredAt, stateAt } = message;
  const code = String(number);
  const by = message.channel === 'sms' ? '' : ` (${channelNames[message.channel]})`;
  const to = `${phoneNumber}${country ? ` (${country})` : ''}`;
  const { confirmation } = message;
  const steps: Step[] = [{ at: message.requestedAt, text: requestedText(message, code, to), tone: 'plain' }];
  for (const attempt of tries) {
    if (attempt.outcome === 'accepted') continue;
    const mayBeSent = attempt.outcome === 'unknown' ? '; the text may still have been sent' : '';
    const why = attempt.reason ?? attempt.outcome;
    const text = `${attempt.gateway} did not accept code ${code}: ${why}${mayBeSent}`;
    steps.push({ at: answeredAt, text, tone: 'bad' });
  }
  if (state === 'refused' || state === 'unavailable')
    steps.push({ at: answeredAt, text: `No gateway accepted code ${code}`, tone: 'bad' });
  else if (state === 'unknown')
    steps.push({ at: answeredAt, text: `No gateway confirmed code ${code}; it may arrive`, tone: 'bad' });
  else steps.push({ at: answeredAt, text: `${gateway} accepted code ${code}${by}`, tone: 'plain' });
  if (state === 'delivered') {
    const seconds = (Date.parse(stateAt) - Date.parse(answeredAt)) / 1000;
    const text =
      seconds >= 1 ? `Code ${code} was delivered after ${formatSpan(seconds)}` : `Code ${code} was delivered`;
    steps.push({ at: stateAt, text, tone: 'good' });
  }
  if (state === 'failed') {
    steps.push({ at: stateAt, text: `Code ${code} was not delivered: ${reason ?? 'no reason given'}`, tone: 'bad' });
  }
  if (message.outcome === 'expired' && !endedBefore(message))
    steps.push({ at: message.expiresAt, text: `The time of code ${code} is over, and it was not used`, tone: 'bad' });
  if (message.verifiedAt) {
    const verified =
      message.for === 'change' ? `Code ${code} verified the new number` : `Code ${code} verified the number`;
    const used = confirmation ? `Code ${code} confirmed “${confirmation.purpose}”` : verified;
    steps.push({ at: message.verifiedAt, text: used, tone: 'good' });
  }
  return steps;
}

function requestedText({ for: kind, confirmation }: TrailMessage, code: string, to: string): string {
  if (confirmation) return `Code ${code} was requested to confirm “${confirmation.purpose}”, to ${to}`;
  return kind === 'change'
    ? `Code ${code} was requested for a change of number, to ${to}`
    : `Code ${code} was requested, to ${to}`;
}

/** The code of a confirmation may have ended before its time. */
function endedBefore({ confirmation }: TrailMessage): boolean {
  return confirmation?.state === 'void' || confirmation?.state === 'failed';
}

function eventSteps({ at, kind, reason, times }: TrailEvent): Step[] {
  // The step of the message already shows this.
  if (kind === 'verified' || kind === 'confirmation-approved') return [];
  const texts: Record<string, string> = {
    'send-refused': `A code was refused: ${reasonText(reason)}`,
    'verify-refused': `A code did not verify: ${reasonText(reason)}`,
    'confirmation-refused': `A code did not confirm: ${reasonText(reason)}`,
    'phone-unlinked': 'The number was unlinked',
    'phone-changed': 'The number was changed',
    'block-lifted': `${reason ?? 'An operator'} lifted the block`,
  };
  const text = texts[kind] ?? `${kind}${reason ? `: ${reason}` : ''}`;
  const isRefused = kind.endsWith('refused');
  return [
    {
      at,
      text: isRefused && times > 1 ? `${text}, ${formatNumber(times)} times` : text,
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
  if (last && last.for === 'change' && !last.verifiedAt && last.requestedAt > since)
    return 'Verified. The last code was sent for a change of number, which is not completed.';
  if (!event || event.at <= since) return 'Verified.';
  if (event.kind === 'send-refused') return `Verified. Since then a code was refused: ${reasonText(event.reason)}.`;
  if (event.kind === 'verify-refused')
    return `Verified. Since then a code did not verify: ${reasonText(whyNoCode(event, last))}.`;
  return 'Verified.';
}

function unverifiedText(
  event: TrailEvent | undefined,
  last: TrailMessage | undefined,
  isBlocked: boolean,
): Pick<Step, 'text' | 'tone'> {
  if (event?.kind === 'phone-unlinked' && (!last || event.at >= last.requestedAt)) {
    return { text: 'Not verified: the number was unlinked.', tone: 'plain' };
  }
  if (event && event.kind === 'block-lifted' && !isBlocked) {
    return {
      text: `Not verified: the block was lifted by ${event.reason ?? 'An operator'}. They can try again.`,
      tone: 'plain',
    };
  }
  if (event && event.kind.endsWith('refused') && (!last || event.at >= last.requestedAt)) {
    const over = event.reason === 'blocked' && !isBlocked ? ' The block is over: they can try again.' : '';
    return { text: `Not verified: ${reasonText(whyNoCode(event, last))}.${over}`, tone: 'bad' };
  }
  if (!last) return { text: 'No code was ever requested.', tone: 'plain' };
  const states: Record<string, string> = {
    refused: 'Not verified: no gateway accepted the last text.',
    unavailable: 'Not verified: no gateway accepted the last text.',
    failed: 'Not verified: the last text was not delivered.',
    unknown: 'Not verified: no gateway confirmed the last text. It may have arrived, and its code works.',
    expired: 'Not verified: the last code expired unused.',
    verified: 'Not verified: the number was unlinked.',
  };
  const text = states[last.outcome];
  if (text === undefined) return { text: 'Waiting: the last code is still valid.', tone: 'plain' };
  return { text: last.reason ? `${text.slice(0, -1)} (${last.reason}).` : text, tone: 'bad' };
}

/** Why there was no valid code at the time of the event, as far as the last code tells. */
function whyNoCode({ at, reason }: TrailEvent, last: TrailMessage | undefined): string | null {
  if (reason !== 'no-code') return reason;
  if (!last) return 'no-code-yet';
  if (last.verifiedAt) return 'code-used';
  if (at >= last.expiresAt) return 'code-expired';
  return ['accepted', 'delivered'].includes(last.state) ? 'code-used-up' : reason;
}
