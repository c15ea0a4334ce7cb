/**
 * The log of messages for operators: texts with their outcomes, and sends that a rule refused, newest first. Both are
 * read from the same position on, and joined by time.
 */
import type { Clock } from '../values/clock.ts';
import { describeEvidence } from '../guard/evidence.ts';
import type { FindRefusals, RefusedSend } from '../guard/refused-send.ts';
import type { Owner } from '../sharing/slots.ts';
import { comparePositions, type LogPosition } from './log-cursor.ts';
import type { MessageFilter, MessageLogStore, MessageRow, MessageState } from './message-log.store.ts';

export interface MessageSearch extends Omit<MessageFilter, 'state'> {
  /** `stopped`: a rule refused it. */
  state: MessageState | 'stopped' | undefined;
  rule: string | undefined;
  after: LogPosition | undefined;
  limit: number;
}

export interface FoundMessages {
  /** JSON texts. */
  messages: string[];
  /** Undefined if there is nothing older. */
  next: LogPosition | undefined;
}

export type FindMessages = ReturnType<typeof createFindMessages>;

interface Entry {
  position: LogPosition;
  json: string;
}

interface Part {
  entries: Entry[];
  end: LogPosition | undefined;
}

const nothing: Part = { entries: [], end: undefined };

export function createFindMessages(store: MessageLogStore, findRefusals: FindRefusals, clock: Clock) {
  async function readMessages({ after, limit, rule, state, ...filter }: MessageSearch, owner: Owner): Promise<Part> {
    if (state === 'stopped' || rule !== undefined) return nothing;
    const start = after && 'id' in after ? { at: after.at } : after;
    const { rows, end } = await store.findMessages({ state, ...filter }, start, limit, clock.now(), owner);
    return { end, entries: rows.map(entryOfMessage) };
  }

  async function readRefusals(search: MessageSearch, owner: Owner): Promise<Part> {
    const { after, limit } = search;
    if (!mayBeRefusal(search)) return nothing;
    const start = after && 'number' in after ? { at: after.at } : after;
    const { rows, end } = await findRefusals(search, start, limit, owner);
    return { end, entries: rows.map(entryOfRefusal) };
  }

  return async function findMessages(search: MessageSearch, owner: Owner): Promise<FoundMessages> {
    const { limit } = search;
    const parts = await Promise.all([readMessages(search, owner), readRefusals(search, owner)]);
    // Up to here both are complete. Entries after it must wait: others that were not read yet may come before them.
    const [end] = parts.flatMap((part) => part.end ?? []).sort(comparePositions);
    const found = parts
      .flatMap(({ entries }) => entries)
      .filter(({ position }) => end === undefined || comparePositions(position, end) <= 0)
      .sort((a, b) => comparePositions(a.position, b.position));
    const shown = found.slice(0, limit);
    const isFull = shown.length === limit && parts.some(({ entries }) => entries.length === limit);
    const hasMore = found.length > limit || isFull;
    return { messages: shown.map(({ json }) => json), next: hasMore ? shown.at(-1)!.position : end };
  };
}

/** Whether a refused send can match: it has no gateway, no receipt and no code. */
function mayBeRefusal({ number, gateway, state, isVerified, reason }: MessageSearch): boolean {
  const isAboutText = [number, gateway, reason].some((value) => value !== undefined) || isVerified === true;
  return !isAboutText && (state === undefined || state === 'stopped');
}

function entryOfMessage(row: MessageRow): Entry {
  const { userId, number, requestedAt } = row;
  const json = JSON.stringify({ id: `${userId}-${number}`, ...row, rule: null, figures: null });
  return { position: { at: new Date(requestedAt), userId, number }, json };
}

function entryOfRefusal({ id, at, evidence, ...rest }: RefusedSend): Entry {
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
  return { position: { at, id }, json: JSON.stringify(message) };
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
