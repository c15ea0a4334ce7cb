/** An event as the log keeps it, and as the wire has it. */
import { parseInstant, writeInstant } from '../transactions/instant.ts';

export interface LoggedEvent {
  /** Its place in the log, which is the order of the cursor. */
  position: number;
  id: string;
  type: string;
  at: Date;
  userId: number | null;
  /** Null for an event about no user. */
  sequence: number | null;
  /** JSON text of an object. */
  data: string;
}

/** UTC, without trailing zeros in the fraction, as in the list of transactions. */
export function writeTimestamp(at: Date): string {
  return writeInstant(parseInstant(at.toISOString())!);
}

/** The JSON that a reader gets and that a webhook signs: the same text everywhere. */
export function writeEvent({ id, type, at, sequence, data }: Omit<LoggedEvent, 'position' | 'userId'>): string {
  const number = sequence === null ? '' : `,"sequence":${sequence}`;
  return `{"id":"${id}","type":"${type}","timestamp":"${writeTimestamp(at)}"${number},"data":${data}}`;
}
