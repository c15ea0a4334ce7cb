/** Positions in the log of messages, newest first, and their form as text. */
import type { RefusalPosition } from '../guard/refused-send.ts';

export interface MessagePosition {
  at: Date;
  userId: number;
  number: number;
}

/** Of an entry of the log. Of those of the same time, messages come before refused sends. */
export type LogPosition = MessagePosition | RefusalPosition;

/** Less than 0 if `a` comes before `b`. */
export function comparePositions(a: LogPosition, b: LogPosition): number {
  const differences = [b.at.getTime() - a.at.getTime(), Number('id' in a) - Number('id' in b)];
  if ('id' in a && 'id' in b) differences.push(b.id - a.id);
  if ('number' in a && 'number' in b) differences.push(b.userId - a.userId, b.number - a.number);
  return differences.find((difference) => difference !== 0) ?? 0;
}

export function writeLogCursor(position: LogPosition): string {
  const key = 'id' in position ? [position.id] : [position.userId, position.number];
  return [position.at.getTime(), ...key].join('.');
}

const largestInt32 = 2_147_483_647;

export function parseLogCursor(text: string): LogPosition | undefined {
  const match = /^(\d{1,14})\.(\d{1,15})(?:\.(\d{1,10}))?$/.exec(text);
  if (!match) return undefined;
  const at = new Date(Number(match[1]));
  const key = Number(match[2]);
  if (match[3] === undefined) return { at, id: key };
  const number = Number(match[3]);
  return Math.max(key, number) > largestInt32 ? undefined : { at, userId: key, number };
}
