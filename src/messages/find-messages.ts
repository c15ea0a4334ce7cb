/**
 * The log of messages for operators: texts with their outcomes, and sends that a rule refused, newest first. Both are
 * read page by page, each from its own position, and joined by time.
 */
import type { Clock } from '../values/clock.ts';
import { describeEvidence } from '../guard/evidence.ts';
import type { RefusalPosition, RefusedSend } from '../guard/refused-send.ts';
import type { Owner } from '../sharing/slots.ts';
import { positionOf, type FoundRows, type MessageFilter, type MessageLogStore } from './message-log.store.ts';
import type { MessagePosition, MessageRow, MessageState } from './message-log.store.ts';
import { exhausted, type LogCursor, type SidePosition } from './log-cursor.ts';

/** Reads refused sends after a position, newest first. */
export type FindRefusals = (
  filter: Pick<MessageSearch, 'userId' | 'country' | 'rule' | 'from' | 'to'>,
  after: RefusalPosition | undefined,
  limit: number,
  owner: Owner,
) => Promise<FoundRows<RefusedSend, RefusalPosition>>;

export interface MessageSearch extends Omit<MessageFilter, 'state'> {
  /** `stopped`: a rule refused it. */
  state: MessageState | 'stopped' | undefined;
  rule: string | undefined;
  after: LogCursor | undefined;
  limit: number;
}

export interface FoundMessages {
  /** JSON texts. */
  messages: string[];
  /** Undefined if there is nothing older. */
  next: LogCursor | undefined;
}

export type FindMessages = ReturnType<typeof createFindMessages>;

interface Entry<Position> {
  at: number;
  json: string;
  position: Position;
}

interface Side<Position> {
  start: SidePosition<Position>;
  entries: Entry<Position>[];
  end: Position | undefined;
}

export function createFindMessages(store: MessageLogStore, findRefusals: FindRefusals, clock: Clock) {
  async function readMessages(search: MessageSearch, owner: Owner): Promise<Side<MessagePosition>> {
    const start = search.after?.messages;
    const { state } = search;
    if (start === exhausted || state === 'stopped' || search.rule !== undefined) return exhaustedSide;
    const { rows, end } = await store.findMessages({ ...search, state }, start, search.limit, clock.now(), owner);
    return { start, end, entries: rows.map(entryOfMessage) };
  }

  async function readRefusals(search: MessageSearch, owner: Owner): Promise<Side<RefusalPosition>> {
    const start = search.after?.refusals;
    if (start === exhausted || !mayBeRefusal(search)) return exhaustedSide;
    const { rows, end } = await findRefusals(search, start, search.limit, owner);
    return { start, end, entries: rows.map(entryOfRefusal) };
  }

  return async function findMessages(search: MessageSearch, owner: Owner): Promise<FoundMessages> {
    const [messages, refusals] = await Promise.all([readMessages(search, owner), readRefusals(search, owner)]);
    // Entries that are older than the last one read on the other side must wait: entries that were not read yet may
    // come before them.
    const horizon = Math.max(...[messages, refusals].map(({ end }) => end?.at.getTime() ?? -Infinity));
    const shown = [...messages.entries, ...refusals.entries]
      .filter(({ at }) => at >= horizon)
      .sort((a, b) => b.at - a.at)
      .slice(0, search.limit);
    const isShown = new Set<object>(shown);
    const next = { messages: positionAfter(messages, isShown), refusals: positionAfter(refusals, isShown) };
    const isEnd = next.messages === exhausted && next.refusals === exhausted;
    return { messages: shown.map(({ json }) => json), next: isEnd ? undefined : next };
  };
}

const exhaustedSide = { start: exhausted, entries: [], end: undefined } as const satisfies Side<never>;

/** Whether a refused send can match: it has no gateway, no receipt and no code. */
function mayBeRefusal({ number, gateway, state, isVerified, reason }: MessageSearch): boolean {
  const isAboutText = [number, gateway, reason].some((value) => value !== undefined) || isVerified === true;
  return !isAboutText && (state === undefined || state === 'stopped');
}

function positionAfter<Position>(
  { start, entries, end }: Side<Position>,
  isShown: ReadonlySet<object>,
): SidePosition<Position> {
  const shown = entries.filter((entry) => isShown.has(entry));
  if (shown.length === entries.length) return start === exhausted ? exhausted : (end ?? exhausted);
  return shown.at(-1)?.position ?? start;
}

function entryOfMessage(row: MessageRow): Entry<MessagePosition> {
  const position = positionOf(row);
  const id = `${row.userId}-${row.number}`;
  return { at: position.at.getTime(), json: JSON.stringify({ id, ...row, rule: null, figures: null }), position };
}

function entryOfRefusal({ id, at, evidence, ...rest }: RefusedSend): Entry<RefusalPosition> {
  const message = {
    id: `guard-${id}`,
    ...rest,
    requestedAt: at.toISOString(),
    outcome: 'stopped',
    state: 'stopped',
    reason: evidence && describeEvidence(evidence),
    figures: evidence,
    ...noText,
  };
  return { at: at.getTime(), json: JSON.stringify(message), position: { at, id } };
}

const noText = {
  for: null,
  confirmation: null,
  number: null,
  codeNumber: null,
  correlationType: null,
  locale: null,
  segments: null,
  gateway: null,
  channel: null,
  gatewayMessageId: null,
  answeredAt: null,
  stateAt: null,
  expiresAt: null,
  verifiedAt: null,
  tries: [],
};
