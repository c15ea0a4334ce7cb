/** From a trail to the reason why a customer is not verified, in the words of a support person. */
import type { TrailEvent, TrailMessage, UserTrail } from '../../client/index.ts';

export interface Step {
  at: string;
  text: string;
  tone: 'good' | 'bad' | 'plain';
}

const reasons: Record<string, string> = {
  budget: 'too many codes were requested',
  'phone-taken': 'the number belongs to another user',
  blocked: 'they were blocked after too many failures',
  'no-code': 'there was no valid code any more',
  'wrong-code': 'the code was wrong',
  'lost-race': 'another user verified the number first',
};

const reasonText = (reason: string | null) => (reason ? (reasons[reason] ?? reason) : 'no reason given');

/** Everything that happened, newest first. */
export function stepsOf({ messages, events }: UserTrail): Step[] {
  const steps = [...messages.flatMap(messageSteps), ...events.flatMap(eventSteps)];
  // Of two steps at the same time, too, the later one comes first.
  return steps.reverse().sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

function messageSteps(message: TrailMessage): Step[] {
  const { number, phoneNumber, country, gateway, state, reason, tries } = message;
  const code = `Code ${number}`;
  const steps: Step[] = [
    {
      at: message.requestedAt,
      text: `${code} was requested, to ${phoneNumber}${country ? ` (${country})` : ''}`,
      tone: 'plain',
    },
  ];
  for (const attempt of tries) {
    if (attempt.outcome === 'accepted') continue;
    const doubt = attempt.outcome === 'unknown' ? '; the text may have been sent all the same' : '';
    const text = `${attempt.gateway} did not accept ${code.toLowerCase()}: ${attempt.reason ?? attempt.outcome}${doubt}`;
    steps.push({ at: message.answeredAt, text, tone: 'bad' });
  }
  if (state === 'refused')
    steps.push({ at: message.answeredAt, text: `No gateway accepted ${code.toLowerCase()}`, tone: 'bad' });
  else if (state === 'unknown')
    steps.push({
      at: message.answeredAt,
      text: `No gateway confirmed ${code.toLowerCase()}; it may arrive`,
      tone: 'bad',
    });
  else steps.push({ at: message.answeredAt, text: `${gateway} accepted ${code.toLowerCase()}`, tone: 'plain' });
  if (state === 'delivered') steps.push({ at: message.stateAt, text: `${code} was delivered`, tone: 'good' });
  if (state === 'failed') {
    steps.push({ at: message.stateAt, text: `${code} was not delivered: ${reason ?? 'no reason given'}`, tone: 'bad' });
  }
  if (message.outcome === 'expired') {
    steps.push({ at: message.expiresAt, text: `${code} expired unused`, tone: 'bad' });
  }
  if (message.verifiedAt) steps.push({ at: message.verifiedAt, text: `${code} verified the number`, tone: 'good' });
  return steps;
}

function eventSteps({ at, kind, reason, times }: TrailEvent): Step[] {
  const count = times > 1 ? `, ${times} times` : '';
  const texts: Record<string, string> = {
    'send-refused': `A code was refused: ${reasonText(reason)}${count}`,
    'verify-refused': `A code did not verify: ${reasonText(reason)}${count}`,
    'phone-unlinked': 'The number was unlinked',
    'block-lifted': `${reason ?? 'An operator'} lifted the block`,
  };
  // The step of the message says so already.
  if (kind === 'verified') return [];
  return [
    {
      at,
      text: texts[kind] ?? `${kind}${reason ? `: ${reason}` : ''}${count}`,
      tone: kind.endsWith('refused') ? 'bad' : 'plain',
    },
  ];
}

/** One sentence: the state of this customer, and why. */
export function verdictOf(trail: UserTrail, isBlocked: boolean): Step {
  const [last] = trail.messages;
  const [event] = [...trail.events].sort((a, b) => (a.at < b.at ? 1 : -1));
  const at = [last?.stateAt, event?.at].reduce<string>((latest, time) => (time && time > latest ? time : latest), '');
  if (last?.verifiedAt && (!event || event.at <= last.verifiedAt || event.kind === 'verified')) {
    return { at, text: 'Verified.', tone: 'good' };
  }
  if (event && event.kind === 'block-lifted' && !isBlocked) {
    return { at, text: `Not verified: the block was lifted by ${event.reason}. They can try again.`, tone: 'plain' };
  }
  if (event && event.kind.endsWith('refused') && (!last || event.at >= last.requestedAt)) {
    const isOver = event.reason === 'blocked' && !isBlocked ? ' The block is over: they can try again.' : '';
    return { at, text: `Not verified: ${reasonText(event.reason)}.${isOver}`, tone: 'bad' };
  }
  if (!last) return { at, text: 'No code was ever requested.', tone: 'plain' };
  const states: Record<string, string> = {
    refused: `Not verified: no gateway accepted the last text${last.reason ? ` (${last.reason})` : ''}.`,
    failed: `Not verified: the last text was not delivered${last.reason ? ` (${last.reason})` : ''}.`,
    unknown: 'Not verified: no gateway confirmed the last text. It may have arrived, and its code works.',
    expired: 'Not verified: the last code expired unused.',
  };
  const text = states[last.outcome] ?? 'Waiting: the last code is still valid.';
  return { at, text, tone: last.outcome in states ? 'bad' : 'plain' };
}
