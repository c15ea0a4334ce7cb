/** From a trail to the reason: what a person would say went wrong. */
import type { TrailEvent, TrailMessage, UserTrail } from '../../client/index.ts';

export interface Step {
  at: string;
  text: string;
  tone: 'good' | 'bad' | 'plain';
}

const reasons: Record<string, string> = {
  budget: 'their budget of codes was used up',
  'phone-taken': 'the number belongs to another user',
  blocked: 'they were blocked after too many failures',
  'no-code': 'there was no code that counted any more',
  'wrong-code': 'the code was wrong',
  'lost-race': 'another user verified the number first',
};

const inWords = (reason: string | null) => (reason ? (reasons[reason] ?? reason) : 'no reason given');

/** Everything that happened, newest first. */
export function stepsOf({ messages, events }: UserTrail): Step[] {
  const steps = [...messages.flatMap(messageSteps), ...events.flatMap(eventSteps)];
  // Of one moment, too, the later step stands first.
  return steps.reverse().sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

function messageSteps(message: TrailMessage): Step[] {
  const { number, phoneNumber, country, gateway, state, reason, tries } = message;
  const code = `Code ${number}`;
  const steps: Step[] = [
    {
      at: message.requestedAt,
      text: `${code} was asked for, to ${phoneNumber}${country ? ` (${country})` : ''}`,
      tone: 'plain',
    },
  ];
  for (const one of tries) {
    if (one.outcome === 'accepted') continue;
    const doubt = one.outcome === 'unknown' ? '; it may have gone out all the same' : '';
    const text = `${one.gateway} did not take ${code.toLowerCase()}: ${one.reason ?? one.outcome}${doubt}`;
    steps.push({ at: message.answeredAt, text, tone: 'bad' });
  }
  if (state === 'refused')
    steps.push({ at: message.answeredAt, text: `No gateway took ${code.toLowerCase()}`, tone: 'bad' });
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
  const often = times > 1 ? `, ${times} times` : '';
  const texts: Record<string, string> = {
    'send-refused': `A code was refused: ${inWords(reason)}${often}`,
    'verify-refused': `A code did not verify: ${inWords(reason)}${often}`,
    'phone-unlinked': 'The number was unlinked',
  };
  // The message says so itself.
  if (kind === 'verified') return [];
  return [
    {
      at,
      text: texts[kind] ?? `${kind}${reason ? `: ${reason}` : ''}${often}`,
      tone: kind.endsWith('refused') ? 'bad' : 'plain',
    },
  ];
}

/** One sentence for the top: where this customer stands, and why. */
export function verdictOf(trail: UserTrail): Step {
  const [last] = trail.messages;
  const [event] = [...trail.events].sort((a, b) => (a.at < b.at ? 1 : -1));
  const at =
    [last?.stateAt, event?.at]
      .filter((time) => time !== undefined)
      .sort()
      .at(-1) ?? '';
  if (last?.verifiedAt && (!event || event.at <= last.verifiedAt || event.kind === 'verified')) {
    return { at, text: 'Verified.', tone: 'good' };
  }
  if (event && event.kind.endsWith('refused') && (!last || event.at >= last.requestedAt)) {
    return { at, text: `Not verified: ${inWords(event.reason)}.`, tone: 'bad' };
  }
  if (!last) return { at, text: 'No code was ever asked for.', tone: 'plain' };
  const states: Record<string, string> = {
    refused: `Not verified: no gateway took the last text${last.reason ? ` (${last.reason})` : ''}.`,
    failed: `Not verified: the last text was not delivered${last.reason ? ` (${last.reason})` : ''}.`,
    expired: 'Not verified: the last code expired unused.',
  };
  const text = states[last.outcome] ?? 'Waiting: the last code can still be used.';
  return { at, text, tone: last.outcome in states ? 'bad' : 'plain' };
}
