/** `ledgerline trace-user`: prints a user's verifications step by step, for support. */
import { StartError } from '../errors.ts';
import { printable } from '../formats/printable.ts';
import { createTrailStore } from '../messages/trail.store.ts';
import { withDatabase } from './database.ts';
import { readNumber } from './read-number.ts';

interface Trail {
  messages: TracedMessage[];
  events: { at: string; kind: string; reason: string | null; times: number }[];
  erasedAt: string | null;
}

interface TracedMessage {
  number: number;
  phoneNumber: string;
  country: string | null;
  gateway: string;
  outcome: string;
  state: string;
  reason: string | null;
  requestedAt: string;
  answeredAt: string;
  stateAt: string;
  expiresAt: string;
  verifiedAt: string | null;
  tries: { gateway: string; outcome: string; reason?: string; milliseconds: number }[];
}

const limit = 1000;

export async function traceUser(id: string, { json }: { json?: boolean }): Promise<number> {
  const userId = readNumber('The user', id);
  const trail = await withDatabase(3, ({ db, clock }) => createTrailStore(db).readTrail(userId, clock.now(), limit));
  if (trail === undefined) throw new StartError(`There is no user ${userId}.`);
  console.log(json ? trail : describe(JSON.parse(trail) as Trail));
  return 0;
}

/** One line for each step, in the order of time. */
function describe({ messages, events, erasedAt }: Trail): string {
  if (erasedAt !== null) return `The user was erased on ${erasedAt}.`;
  const lines = [
    ...messages.flatMap(steps),
    ...events.map(({ at, kind, reason, times }) => [at, eventLine(kind, reason, times)]),
  ];
  if (lines.length === 0) return 'Nothing has been recorded of this user.';
  return lines
    .sort(([a], [b]) => (a! < b! ? -1 : a! > b! ? 1 : 0))
    .map(([at, line]) => `${at}  ${printable(line!)}`)
    .join('\n');
}

function eventLine(kind: string, reason: string | null, times: number): string {
  return `${kind}${reason ? `: ${reason}` : ''}${times > 1 ? ` (${times} times)` : ''}`;
}

function steps(message: TracedMessage): [string, string][] {
  const { number, gateway, state, reason, tries, outcome } = message;
  const code = `code ${number}`;
  // Nobody did if a receipt settled an unknown outcome.
  const acceptedBy = tries.length === 0 ? gateway : tries.find((each) => each.outcome === 'accepted')?.gateway;
  const lines: [string, string][] = [
    [
      message.requestedAt,
      `${code} requested for ${message.phoneNumber}${message.country ? ` (${message.country})` : ''}`,
    ],
  ];
  for (const gatewayTry of tries.filter((each) => each.outcome !== 'accepted')) {
    const doubt = gatewayTry.outcome === 'unknown' ? ', may have gone out' : '';
    lines.push([
      message.answeredAt,
      `${code} ${gatewayTry.outcome} by ${gatewayTry.gateway}: ${gatewayTry.reason ?? '-'}${doubt}`,
    ]);
  }
  if (state === 'unknown') lines.push([message.answeredAt, `${code} not confirmed by any gateway, may arrive`]);
  else if (state === 'unavailable')
    lines.push([message.answeredAt, `${code} not sent: ${reason ?? 'no gateway accepted it'}`]);
  else if (state === 'refused') lines.push([message.answeredAt, `${code} not sent: the destination was refused`]);
  else if (acceptedBy !== undefined) lines.push([message.answeredAt, `${code} accepted by ${acceptedBy}`]);
  if (state === 'delivered' || state === 'failed') {
    const by = gateway === acceptedBy ? '' : ` by ${gateway}`;
    lines.push([message.stateAt, `${code} ${state}${by}${reason ? `: ${reason}` : ''}`]);
  }
  if (outcome === 'expired') lines.push([message.expiresAt, `${code} expired`]);
  if (message.verifiedAt) lines.push([message.verifiedAt, `${code} verified`]);
  return lines;
}
