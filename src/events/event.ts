/** An event as it is stored in the log, and as it is sent. */
import { randomBytes } from 'node:crypto';
import { writeTime } from '../values/instant.ts';

export interface LoggedEvent {
  /** Its position in the log, which is the order of the cursor. */
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

/** The JSON that a reader gets and that a webhook signs: the same text everywhere. */
export function writeEvent({ id, type, at, sequence, data }: Omit<LoggedEvent, 'position' | 'userId'>): string {
  const number = sequence === null ? '' : `,"sequence":${sequence}`;
  return `{"id":"${id}","type":"${type}","timestamp":"${writeTime(at)}"${number},"data":${data}}`;
}

/** A UUID of version 7 (RFC 9562), for an event that is not in the log; the database creates the others. */
export function makeEventId(at: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
